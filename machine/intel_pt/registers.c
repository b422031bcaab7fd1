/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/registers.h"

#include <stddef.h>

/* Bits 6:0 of OUTPUT_MASK_PTRS always read as ones. */
#define MASK_FIXED_ONES 0x7full

#define CTL_DEFINED \
	(CTL_TRACE_EN | CTL_CYC_EN | CTL_OS | CTL_USER | CTL_PWR_EVT_EN | \
	 CTL_FUP_ON_PTW | CTL_CR3_FILTER | CTL_TOPA | CTL_MTC_EN | \
	 CTL_TSC_EN | CTL_DIS_RETC | CTL_PTW_EN | CTL_BRANCH_EN | \
	 CTL_MTC_FREQ | CTL_CYC_THRESH | CTL_PSB_FREQ | CTL_EVENT_EN | \
	 CTL_ADDR_CFGS | CTL_DIS_TNT)
#define STATUS_WRITABLE \
	(STATUS_FILTER_EN | STATUS_CONTEXT_EN | STATUS_TRIGGER_EN | \
	 STATUS_ERROR | STATUS_STOPPED | STATUS_BYTE_COUNT)
#define PHYSICAL_MASK ((1ull << PT_PHYSICAL_BITS) - 1)

static uint64_t field(uint64_t value, uint64_t mask, unsigned shift)
{
	return (value & mask) >> shift;
}

static bool offered(unsigned bitmap, uint64_t encoding)
{
	return bitmap >> encoding & 1;
}

void pt_registers_reset(struct pt_registers *registers)
{
	*registers = (struct pt_registers){
		.output_mask = MASK_FIXED_ONES,
		.abilities = pt_abilities_full(),
	};
}

unsigned pt_registers_range_config(const struct pt_registers *registers,
				   unsigned range)
{
	return registers->ctl >>
		       (CTL_ADDR_CFG_SHIFT + range * CTL_ADDR_CFG_BITS) &
	       0xf;
}

/* Returns the bits of IA32_RTIT_CTL that a unit with these abilities has. */
static uint64_t defined_bits(const struct pt_abilities *abilities)
{
	uint64_t bits = CTL_DEFINED;

	if (!abilities->mtc)
		bits &= ~(CTL_MTC_EN | CTL_MTC_FREQ);
	if (!abilities->cyc)
		bits &= ~(CTL_CYC_EN | CTL_CYC_THRESH | CTL_PSB_FREQ);
	if (!abilities->address_ranges)
		bits &= ~CTL_ADDR_CFGS;
	return bits;
}

/* An encoding of 0 is valid where the ability is missing: its bits are then
 * not defined at all.
 */
static bool ctl_is_valid(const struct pt_abilities *abilities, uint64_t ctl)
{
	if (ctl & ~defined_bits(abilities))
		return false;
	if (!offered(abilities->mtc_periods,
		     field(ctl, CTL_MTC_FREQ, CTL_MTC_FREQ_SHIFT)) &&
	    (ctl & CTL_MTC_EN))
		return false;
	if (!offered(abilities->cyc_thresholds | 1,
		     field(ctl, CTL_CYC_THRESH, CTL_CYC_THRESH_SHIFT)))
		return false;
	if (!offered(abilities->psb_frequencies | 1,
		     field(ctl, CTL_PSB_FREQ, CTL_PSB_FREQ_SHIFT)))
		return false;

	struct pt_registers probe = { .ctl = ctl };

	for (unsigned range = 0; range < PT_ADDRESS_RANGES; range++)
		if (pt_registers_range_config(&probe, range) > ADDR_CFG_STOP)
			return false;
	return true;
}

static bool canonical(uint64_t address)
{
	return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

/* While TraceEn is set, a write may only clear it or repeat the current value;
 * when it is cleared, the other bits take their new values.
 */
static enum pt_msr_result write_ctl(struct pt_registers *registers,
				    uint64_t value)
{
	bool tracing = registers->ctl & CTL_TRACE_EN;

	if (!ctl_is_valid(&registers->abilities, value))
		return PT_MSR_FAULT;
	if (tracing && (value & CTL_TRACE_EN) && value != registers->ctl)
		return PT_MSR_FAULT;
	registers->ctl = value;
	return PT_MSR_DONE;
}

static uint64_t *address_register(struct pt_registers *registers, uint32_t msr)
{
	if (msr < MSR_RTIT_ADDR0_A || msr > MSR_RTIT_ADDR3_B)
		return NULL;
	return &registers->address[msr - MSR_RTIT_ADDR0_A];
}

enum pt_msr_result pt_registers_read(const struct pt_registers *registers,
				     uint32_t msr, uint64_t *value)
{
	switch (msr) {
	case MSR_RTIT_CTL:
		*value = registers->ctl;
		return PT_MSR_DONE;
	case MSR_RTIT_STATUS:
		*value = registers->status;
		return PT_MSR_DONE;
	case MSR_RTIT_OUTPUT_BASE:
		*value = registers->output_base;
		return PT_MSR_DONE;
	case MSR_RTIT_OUTPUT_MASK_PTRS:
		*value = registers->output_mask;
		return PT_MSR_DONE;
	case MSR_RTIT_CR3_MATCH:
		*value = registers->cr3_match;
		return PT_MSR_DONE;
	default:
		break;
	}
	if (msr < MSR_RTIT_ADDR0_A || msr > MSR_RTIT_ADDR3_B)
		return PT_MSR_NOT_OURS;
	*value = registers->address[msr - MSR_RTIT_ADDR0_A];
	return PT_MSR_DONE;
}

static enum pt_msr_result store(uint64_t *target, uint64_t value, bool valid)
{
	if (!valid)
		return PT_MSR_FAULT;
	*target = value;
	return PT_MSR_DONE;
}

enum pt_msr_result pt_registers_write(struct pt_registers *registers,
				      uint32_t msr, uint64_t value)
{
	uint64_t *address = address_register(registers, msr);
	bool stopped = !(registers->ctl & CTL_TRACE_EN);

	switch (msr) {
	case MSR_RTIT_CTL:
		return write_ctl(registers, value);
	case MSR_RTIT_STATUS:
		return store(&registers->status, value,
			     stopped && !(value & ~STATUS_WRITABLE));
	case MSR_RTIT_OUTPUT_BASE:
		return store(&registers->output_base, value,
			     stopped && !(value & 0x7f) &&
				     !(value & ~PHYSICAL_MASK));
	case MSR_RTIT_OUTPUT_MASK_PTRS:
		return store(&registers->output_mask, value | MASK_FIXED_ONES,
			     stopped);
	case MSR_RTIT_CR3_MATCH:
		return store(&registers->cr3_match, value,
			     stopped && !(value & 0x1f));
	default:
		if (!address)
			return PT_MSR_NOT_OURS;
		return store(address, value, stopped && canonical(value));
	}
}
