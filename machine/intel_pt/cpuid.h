/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_CPUID_H
#define KT_MACHINE_INTEL_PT_CPUID_H

#include <stdbool.h>
#include <stdint.h>

/* The trace unit's part of CPUID (SDM volume 2, CPUID leaves 14H, 15H). */
enum {
	PT_CPUID_MAX_LEAF = 0x15,
	PT_TSC_DENOMINATOR = 2,	     /* see struct pt_rates */
	PT_MTC_PERIODS = 0x0249,     /* 2^0, 2^3, 2^6, 2^9 crystal ticks */
	PT_CYC_THRESHOLDS = 0x3fff,  /* 0, 2^0 .. 2^12 cycles */
	PT_PSB_FREQUENCIES = 0x003f, /* 2 KiB << 0..5 */
};

/* What the unit can do, as CPUID announces it. Older and smaller CPUs lack
 * parts of it.
 */
struct pt_abilities {
	bool cyc; /* CYC packets, and a choice of how often PSBs are written */
	bool mtc;
	bool many_regions; /* ToPA tables of more than one entry */
	bool tsc_ratio;	   /* leaf 15H has the TSC's ratio to the crystal */
	uint16_t mtc_periods;
	uint16_t cyc_thresholds;
	uint16_t psb_frequencies;
	uint8_t address_ranges; /* 0: no address filters */
};

/* Returns the abilities of the complete unit. */
struct pt_abilities pt_abilities_full(void);

/* Removes the ability that the option without=NAME names. Returns false if
 * there is none of that @name.
 */
bool pt_abilities_remove(struct pt_abilities *abilities, const char *name);

/* The rates of the CPU's clocks. The crystal clock, whose periods MTC packets
 * count, is TSC * PT_TSC_DENOMINATOR / tsc_numerator.
 */
struct pt_rates {
	uint8_t bus_ratio;	/* TSC over 100 MHz: CBR, PLATFORM_INFO */
	uint16_t tsc_numerator; /* to 1024: TMA's fast counter has 9 bits */
};

struct cpuid_result {
	uint32_t eax, ebx, ecx, edx;
};

/* Converts the CPUID result of a CPU without a trace unit to that of a CPU with
 * one.
 *
 * @result holds the CPU's own result for @leaf, @subleaf. Leaves that concern
 * neither the trace unit nor the performance monitoring of its interrupt are
 * unchanged.
 */
void pt_cpuid(uint32_t leaf, uint32_t subleaf, const struct pt_rates *rates,
	      const struct pt_abilities *abilities,
	      struct cpuid_result *result);

#endif
