/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/perfmon.h"

#include <stddef.h>

#define MSR_PMC0 0xc1u
#define MSR_PERFEVTSEL0 0x186u
#define MSR_FIXED_CTR0 0x309u
#define MSR_FIXED_CTR_CTRL 0x38du
#define MSR_GLOBAL_STATUS 0x38eu
#define MSR_GLOBAL_CTRL 0x38fu
#define MSR_GLOBAL_STATUS_RESET 0x390u
#define MSR_GLOBAL_STATUS_SET 0x391u

#define STATUS_FIXED_SHIFT 32
#define STATUS_TOPA_PMI (1ull << 55)

#define COUNTER_MASK ((1ull << 48) - 1)

/* IA32_PERFEVTSELx. A fixed counter has 4 bits; bit 3 enables its interrupt. */
#define SELECT_EVENT 0xffffu /* including its mask */
#define SELECT_USER (1u << 16)
#define SELECT_OS (1u << 17)
#define SELECT_INTERRUPT (1u << 20)
#define SELECT_ENABLE (1u << 22)
#define FIXED_OS (1u << 0)
#define FIXED_USER (1u << 1)
#define FIXED_INTERRUPT (1u << 3)

enum {
	EVENT_CYCLES = 0x003c,
	EVENT_REFERENCE_CYCLES = 0x013c,
	EVENT_INSTRUCTIONS = 0x00c0,
	EVENT_BRANCHES = 0x00c4,
	EVENT_FAR_BRANCHES = 0x40c4, /* BR_INST_RETIRED.FAR_BRANCH */
	FIXED_INSTRUCTIONS = 0,
	FIXED_CYCLES = 1,
	FIXED_REFERENCE_CYCLES = 2,
	RDPMC_FIXED = 1 << 30,
};

/* SDM volume 3, "Issuing Interprocessor Interrupts": the local APIC's command
 * register; delivery mode NMI, level assert, destination shorthand self.
 */
#define APIC_ICR_LOW 0xfee00300ull
#define ICR_NMI_TO_SELF 0x00044400u

static uint64_t *stored(struct perfmon *perfmon, uint32_t msr)
{
	if (msr - MSR_PMC0 < PERFMON_COUNTERS)
		return &perfmon->counter[msr - MSR_PMC0];
	if (msr - MSR_PERFEVTSEL0 < PERFMON_COUNTERS)
		return &perfmon->select[msr - MSR_PERFEVTSEL0];
	if (msr - MSR_FIXED_CTR0 < PERFMON_FIXED)
		return &perfmon->fixed[msr - MSR_FIXED_CTR0];
	switch (msr) {
	case MSR_FIXED_CTR_CTRL:
		return &perfmon->fixed_control;
	case MSR_GLOBAL_CTRL:
		return &perfmon->global_control;
	case MSR_GLOBAL_STATUS:
		return &perfmon->global_status;
	default:
		return NULL;
	}
}

bool perfmon_read(const struct perfmon *perfmon, uint32_t msr, uint64_t *value)
{
	struct perfmon copy = *perfmon;
	const uint64_t *source = stored(&copy, msr);

	if (msr == MSR_GLOBAL_STATUS_RESET || msr == MSR_GLOBAL_STATUS_SET) {
		*value = 0;
		return true;
	}
	if (!source)
		return false;
	*value = *source;
	return true;
}

/* The settings of a counter, general or fixed. */
struct counter {
	uint64_t *value;
	unsigned status_bit;
	enum perfmon_event event; /* PERFMON_EVENTS: none */
	bool user, kernel;
	bool interrupts;
};

static enum perfmon_event selected(uint64_t select)
{
	switch (select & SELECT_EVENT) {
	case EVENT_CYCLES:
	case EVENT_REFERENCE_CYCLES:
		return PERFMON_CYCLES;
	case EVENT_INSTRUCTIONS:
		return PERFMON_INSTRUCTIONS;
	case EVENT_BRANCHES:
		return PERFMON_BRANCHES;
	case EVENT_FAR_BRANCHES:
		return PERFMON_FAR_BRANCHES;
	default:
		return PERFMON_EVENTS;
	}
}

static enum perfmon_event fixed_event(unsigned i)
{
	if (i == FIXED_INSTRUCTIONS)
		return PERFMON_INSTRUCTIONS;
	if (i == FIXED_CYCLES || i == FIXED_REFERENCE_CYCLES)
		return PERFMON_CYCLES;
	return PERFMON_EVENTS;
}

static struct counter general(struct perfmon *perfmon, unsigned i)
{
	uint64_t select = perfmon->select[i];
	bool on = (select & SELECT_ENABLE) && perfmon->global_control >> i & 1;

	return (struct counter){
		.value = &perfmon->counter[i],
		.status_bit = i,
		.event = on ? selected(select) : PERFMON_EVENTS,
		.user = select & SELECT_USER,
		.kernel = select & SELECT_OS,
		.interrupts = select & SELECT_INTERRUPT,
	};
}

static struct counter fixed(struct perfmon *perfmon, unsigned i)
{
	unsigned control = perfmon->fixed_control >> 4 * i & 0xf;
	unsigned bit = STATUS_FIXED_SHIFT + i;
	bool on = perfmon->global_control >> bit & 1;

	return (struct counter){
		.value = &perfmon->fixed[i],
		.status_bit = bit,
		.event = on ? fixed_event(i) : PERFMON_EVENTS,
		.user = control & FIXED_USER,
		.kernel = control & FIXED_OS,
		.interrupts = control & FIXED_INTERRUPT,
	};
}

static struct counter nth(struct perfmon *perfmon, unsigned i)
{
	return i < PERFMON_COUNTERS ? general(perfmon, i) :
				      fixed(perfmon, i - PERFMON_COUNTERS);
}

static void look_who_counts(struct perfmon *perfmon)
{
	perfmon->counting = false;
	for (unsigned i = 0; i < PERFMON_COUNTERS + PERFMON_FIXED; i++) {
		struct counter counter = nth(perfmon, i);

		perfmon->counting |= counter.event != PERFMON_EVENTS &&
				     (counter.user || counter.kernel);
	}
}

/* A write to a general counter has 32 bits, which are sign-extended. */
static uint64_t as_stored(uint32_t msr, uint64_t value)
{
	if (msr - MSR_PMC0 < PERFMON_COUNTERS)
		return (uint64_t)(int64_t)(int32_t)value & COUNTER_MASK;
	if (msr - MSR_FIXED_CTR0 < PERFMON_FIXED)
		return value & COUNTER_MASK;
	return value;
}

bool perfmon_write(struct perfmon *perfmon, uint32_t msr, uint64_t value)
{
	uint64_t *target = stored(perfmon, msr);

	switch (msr) {
	case MSR_GLOBAL_STATUS: /* read-only */
		return true;
	case MSR_GLOBAL_STATUS_RESET:
		perfmon->global_status &= ~value;
		return true;
	case MSR_GLOBAL_STATUS_SET:
		perfmon->global_status |= value;
		return true;
	default:
		if (!target)
			return false;
		*target = as_stored(msr, value);
		look_who_counts(perfmon);
		return true;
	}
}

uint64_t perfmon_rdpmc(const struct perfmon *perfmon, uint32_t index)
{
	uint32_t i = index & ~(uint32_t)RDPMC_FIXED;

	if (index & RDPMC_FIXED)
		return i < PERFMON_FIXED ? perfmon->fixed[i] : 0;
	return i < PERFMON_COUNTERS ? perfmon->counter[i] : 0;
}

/* Adds @amount. Returns true if the counter overflowed and its interrupt is
 * enabled.
 */
static bool count(struct perfmon *perfmon, const struct counter *counter,
		  uint64_t amount)
{
	*counter->value += amount;
	if (*counter->value <= COUNTER_MASK)
		return false;
	*counter->value &= COUNTER_MASK;
	perfmon->global_status |= 1ull << counter->status_bit;
	return counter->interrupts;
}

/* Instructions of an interrupted block are subtracted again, so the value may
 * decrease; that counts as 0.
 */
static uint64_t step(uint64_t *last, uint64_t now)
{
	uint64_t amount = now > *last ? now - *last : 0;

	*last += amount;
	return amount;
}

bool perfmon_advance(struct perfmon *perfmon, const struct perfmon_now *now,
		     bool kernel)
{
	uint64_t amounts[PERFMON_EVENTS];
	bool interrupts = false;

	for (unsigned i = 0; i < PERFMON_EVENTS; i++)
		amounts[i] = step(&perfmon->last.amount[i], now->amount[i]);
	for (unsigned i = 0;
	     perfmon->counting && i < PERFMON_COUNTERS + PERFMON_FIXED; i++) {
		struct counter counter = nth(perfmon, i);

		if (counter.event != PERFMON_EVENTS &&
		    (perfmon->kernel ? counter.kernel : counter.user))
			interrupts |= count(perfmon, &counter,
					    amounts[counter.event]);
	}
	perfmon->kernel = kernel;
	return interrupts;
}

void perfmon_skip(struct perfmon *perfmon, const struct perfmon_now *now)
{
	perfmon->last = *now;
}

void perfmon_interrupt(struct guest *guest)
{
	uint32_t command = ICR_NMI_TO_SELF;

	guest_write_physical(guest, APIC_ICR_LOW, &command, sizeof(command));
}

void perfmon_topa_interrupt(struct perfmon *perfmon, struct guest *guest)
{
	perfmon->global_status |= STATUS_TOPA_PMI;
	perfmon_interrupt(guest);
}
