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

#define STATUS_TOPA_PMI (1ull << 55)

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
		if (target)
			*target = value;
		return target;
	}
}

void perfmon_topa_interrupt(struct perfmon *perfmon, struct guest *guest)
{
	uint32_t command = ICR_NMI_TO_SELF;

	perfmon->global_status |= STATUS_TOPA_PMI;
	guest_write_physical(guest, APIC_ICR_LOW, &command, sizeof(command));
}
