/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/cpuid.h"
#include "machine/intel_pt/msr.h"

#include <string.h>

#define LEAF7_EBX_INTEL_PT (1u << 25)

#define PT_CR3_FILTER (1u << 0)
#define PT_PSB_CYC (1u << 1)
#define PT_IP_FILTER (1u << 2)
#define PT_MTC (1u << 3)
#define PT_PTWRITE (1u << 4)
#define PT_POWER_EVENTS (1u << 5)
#define PT_EVENT_TRACE (1u << 7)
#define PT_TNT_DISABLE (1u << 8)
#define PT_TOPA (1u << 0)
#define PT_TOPA_MULTIPLE_ENTRIES (1u << 1)
#define PT_SINGLE_RANGE (1u << 2)

/* Version 4, which has a global status register with the trace unit's bit; 4
 * general counters and 3 fixed ones of 48 bits.
 */
#define PERFMON_EAX 0x07300404u
#define PERFMON_EDX 0x00000603u

struct pt_abilities pt_abilities_full(void)
{
	return (struct pt_abilities){
		.cyc = true,
		.mtc = true,
		.many_regions = true,
		.tsc_ratio = true,
		.mtc_periods = PT_MTC_PERIODS,
		.cyc_thresholds = PT_CYC_THRESHOLDS,
		.psb_frequencies = PT_PSB_FREQUENCIES,
		.address_ranges = PT_ADDRESS_RANGES,
	};
}

bool pt_abilities_remove(struct pt_abilities *abilities, const char *name)
{
	if (!strcmp(name, "mtc")) {
		abilities->mtc = false;
		abilities->mtc_periods = 0;
	} else if (!strcmp(name, "mtc-periods"))
		abilities->mtc_periods = 0;
	else if (!strcmp(name, "short-mtc-periods"))
		abilities->mtc_periods &= 0xffc0;
	else if (!strcmp(name, "cyc")) {
		abilities->cyc = false;
		abilities->cyc_thresholds = abilities->psb_frequencies = 0;
	} else if (!strcmp(name, "psb-periods"))
		abilities->psb_frequencies = 0;
	else if (!strcmp(name, "filters"))
		abilities->address_ranges = 0;
	else if (!strcmp(name, "many-regions"))
		abilities->many_regions = false;
	else if (!strcmp(name, "tsc-ratio"))
		abilities->tsc_ratio = false;
	else
		return false;
	return true;
}

static struct cpuid_result trace_unit(uint32_t subleaf,
				      const struct pt_abilities *abilities)
{
	if (subleaf == 0)
		return (struct cpuid_result){
			.eax = 1,
			.ebx = PT_CR3_FILTER | PT_PTWRITE | PT_POWER_EVENTS |
			       PT_EVENT_TRACE | PT_TNT_DISABLE |
			       (abilities->cyc ? PT_PSB_CYC : 0) |
			       (abilities->address_ranges ? PT_IP_FILTER : 0) |
			       (abilities->mtc ? PT_MTC : 0),
			.ecx = PT_TOPA | PT_SINGLE_RANGE |
			       (abilities->many_regions ?
					PT_TOPA_MULTIPLE_ENTRIES :
					0),
		};
	if (subleaf == 1)
		return (struct cpuid_result){
			.eax = (uint32_t)abilities->mtc_periods << 16 |
			       abilities->address_ranges,
			.ebx = (uint32_t)abilities->psb_frequencies << 16 |
			       abilities->cyc_thresholds,
		};
	return (struct cpuid_result){ 0 };
}

void pt_cpuid(uint32_t leaf, uint32_t subleaf, const struct pt_rates *rates,
	      const struct pt_abilities *abilities, struct cpuid_result *result)
{
	switch (leaf) {
	case 0x0:
		if (result->eax < PT_CPUID_MAX_LEAF)
			result->eax = PT_CPUID_MAX_LEAF;
		break;
	case 0x7:
		if (subleaf == 0)
			result->ebx |= LEAF7_EBX_INTEL_PT;
		break;
	case 0xa:
		*result = (struct cpuid_result){ .eax = PERFMON_EAX,
						 .edx = PERFMON_EDX };
		break;
	case 0x14:
		*result = trace_unit(subleaf, abilities);
		break;
	case 0x15:
		/* ECX, the crystal's frequency, depends on the TSC's and is
		 * unknown here.
		 */
		*result = (struct cpuid_result){ 0 };
		if (abilities->tsc_ratio) {
			result->eax = PT_TSC_DENOMINATOR;
			result->ebx = rates->tsc_numerator;
		}
		break;
	default:
		break;
	}
}
