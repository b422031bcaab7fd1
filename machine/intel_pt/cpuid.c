/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/cpuid.h"
#include "machine/intel_pt/msr.h"

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

static struct cpuid_result trace_unit(uint32_t subleaf)
{
	if (subleaf == 0)
		return (struct cpuid_result){
			.eax = 1,
			.ebx = PT_CR3_FILTER | PT_PSB_CYC | PT_IP_FILTER |
			       PT_MTC | PT_PTWRITE | PT_POWER_EVENTS |
			       PT_EVENT_TRACE | PT_TNT_DISABLE,
			.ecx = PT_TOPA | PT_TOPA_MULTIPLE_ENTRIES |
			       PT_SINGLE_RANGE,
		};
	if (subleaf == 1)
		return (struct cpuid_result){
			.eax = PT_MTC_PERIODS << 16 | PT_ADDRESS_RANGES,
			.ebx = (uint32_t)PT_PSB_FREQUENCIES << 16 |
			       PT_CYC_THRESHOLDS,
		};
	return (struct cpuid_result){ 0 };
}

void pt_cpuid(uint32_t leaf, uint32_t subleaf, const struct pt_rates *rates,
	      struct cpuid_result *result)
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
		*result = trace_unit(subleaf);
		break;
	case 0x15:
		/* ECX, the crystal's frequency, depends on the TSC's and is
		 * unknown here.
		 */
		*result = (struct cpuid_result){ .eax = PT_TSC_DENOMINATOR,
						 .ebx = rates->tsc_numerator };
		break;
	default:
		break;
	}
}
