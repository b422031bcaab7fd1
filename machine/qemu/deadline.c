/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/deadline.h"

#define MSR_TSC_DEADLINE 0x6e0u

#define LEAF1_ECX_TSC_DEADLINE (1u << 24)
enum {
	LEAF_CLOCK_RATES = 0x16,
	TSC_MHZ = 1000,
	BUS_MHZ = 100,
	CRYSTAL_HZ = TSC_MHZ * 1000000ll * PT_TSC_DENOMINATOR /
		     DEADLINE_TSC_NUMERATOR,
};

/* SDM volume 3, "Local APIC Register Address Map": the one-shot timer counts
 * down from the initial count; QEMU's counts at 1 GHz divided by the divisor.
 */
#define APIC_INITIAL_COUNT 0xfee00380ull
#define APIC_DIVIDE 0xfee003e0ull
static const struct {
	uint32_t encoding;
	unsigned shift;
} divisors[] = { { 0xb, 0 }, { 0xa, 7 } };

void deadline_cpuid(uint32_t leaf, struct cpuid_result *result)
{
	switch (leaf) {
	case 0x0:
		if (result->eax < LEAF_CLOCK_RATES)
			result->eax = LEAF_CLOCK_RATES;
		break;
	case 0x1:
		result->ecx |= LEAF1_ECX_TSC_DEADLINE;
		break;
	case 0x15:
		result->ecx = CRYSTAL_HZ;
		break;
	case LEAF_CLOCK_RATES:
		*result = (struct cpuid_result){ .eax = TSC_MHZ,
						 .ebx = TSC_MHZ,
						 .ecx = BUS_MHZ };
		break;
	default:
		break;
	}
}

bool deadline_read(const struct deadline *deadline, uint32_t msr, uint64_t now,
		   uint64_t *value)
{
	if (msr != MSR_TSC_DEADLINE)
		return false;
	*value = deadline->tsc > now ? deadline->tsc : 0;
	return true;
}

/* The timer's count has 32 bits. Long waits are counted in larger steps; the
 * longest (9 minutes) end early, which a kernel treats as a spurious interrupt.
 * A count of 0 disarms the timer.
 */
static void count_down(struct guest *guest, uint64_t ticks)
{
	unsigned wide = ticks > UINT32_MAX;
	unsigned shift = divisors[wide].shift;
	uint64_t steps = (ticks + (1ull << shift) - 1) >> shift;
	uint32_t count = steps > UINT32_MAX ? UINT32_MAX : (uint32_t)steps;

	guest_write_physical(guest, APIC_DIVIDE, &divisors[wide].encoding,
			     sizeof(divisors[wide].encoding));
	guest_write_physical(guest, APIC_INITIAL_COUNT, &count, sizeof(count));
}

bool deadline_write(struct deadline *deadline, struct guest *guest,
		    uint32_t msr, uint64_t value, uint64_t now)
{
	if (msr != MSR_TSC_DEADLINE)
		return false;
	deadline->tsc = value;
	if (!value)
		count_down(guest, 0);
	else
		count_down(guest, value > now ? value - now : 1);
	return true;
}
