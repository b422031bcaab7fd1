/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_setup.h"
#include "decoder/recording/recording.h"

#include <stdio.h>

/* The errata of each core. Sources: Intel's specification updates and
 * pt_cpu_errata() of libipt (libipt/src/pt_config.c, January 2026); perf has no
 * such table. APL11, SKD010 and SKL168 need no handling: a TIP.PGD, or a
 * branch, after an OVF without a FUP is accepted on every processor, and the
 * cycles of a dropped CYC are within the time bounds.
 */
enum core {
	BROADWELL = INTEL_ERRATUM_BDM64 | INTEL_ERRATUM_BDM70,
	SKYLAKE = INTEL_ERRATUM_BDM70 | INTEL_ERRATUM_SKD007 |
		  INTEL_ERRATUM_SKD022 | INTEL_ERRATUM_SKL014,
	SKYLAKE_X = INTEL_ERRATUM_BDM70 | INTEL_ERRATUM_SKD022 |
		    INTEL_ERRATUM_SKL014 | INTEL_ERRATUM_SKZ84,
	SAPPHIRE_RAPIDS = INTEL_ERRATUM_BDM70 | INTEL_ERRATUM_SKD022 |
			  INTEL_ERRATUM_SKZ84,
	ICELAKE = INTEL_ERRATUM_BDM70 | INTEL_ERRATUM_SKD022 |
		  INTEL_ERRATUM_SKL014,
	ALDERLAKE = INTEL_ERRATUM_BDM70 | INTEL_ERRATUM_SKD022,
	APOLLO_LAKE = INTEL_ERRATUM_APL12,
};

/* Families and models as reported by CPUID, in hexadecimal. */
static const struct {
	uint8_t family;
	uint8_t model;
	uint32_t errata;
} processors[] = {
	{ 0x06, 0x3d, BROADWELL },	 { 0x06, 0x47, BROADWELL },
	{ 0x06, 0x4f, BROADWELL },	 { 0x06, 0x56, BROADWELL },
	{ 0x06, 0x4e, SKYLAKE },	 { 0x06, 0x5e, SKYLAKE },
	{ 0x06, 0x8e, SKYLAKE },	 { 0x06, 0x9e, SKYLAKE },
	{ 0x06, 0xa5, SKYLAKE },	 { 0x06, 0xa6, SKYLAKE },
	{ 0x06, 0x55, SKYLAKE_X },	 { 0x06, 0x6a, SKYLAKE_X },
	{ 0x06, 0x6c, SKYLAKE_X },	 { 0x06, 0x8f, SAPPHIRE_RAPIDS },
	{ 0x06, 0xcf, SAPPHIRE_RAPIDS }, { 0x06, 0xad, SAPPHIRE_RAPIDS },
	{ 0x06, 0xae, SAPPHIRE_RAPIDS }, { 0x13, 0x01, SAPPHIRE_RAPIDS },
	{ 0x06, 0x66, ICELAKE },	 { 0x06, 0x7d, ICELAKE },
	{ 0x06, 0x7e, ICELAKE },	 { 0x06, 0x8c, ICELAKE },
	{ 0x06, 0x8d, ICELAKE },	 { 0x06, 0xa7, ICELAKE },
	{ 0x06, 0xa8, ICELAKE },	 { 0x06, 0x97, ALDERLAKE },
	{ 0x06, 0x9a, ALDERLAKE },	 { 0x06, 0xba, ALDERLAKE },
	{ 0x06, 0xb7, ALDERLAKE },	 { 0x06, 0xbf, ALDERLAKE },
	{ 0x06, 0xc5, ALDERLAKE },	 { 0x06, 0xc6, ALDERLAKE },
	{ 0x06, 0xb5, ALDERLAKE },	 { 0x06, 0xaa, ALDERLAKE },
	{ 0x06, 0xac, ALDERLAKE },	 { 0x06, 0xbd, ALDERLAKE },
	{ 0x06, 0xcc, ALDERLAKE },	 { 0x06, 0xd5, ALDERLAKE },
	{ 0x12, 0x01, ALDERLAKE },	 { 0x12, 0x03, ALDERLAKE },
	{ 0x06, 0x5c, APOLLO_LAKE },	 { 0x06, 0x5f, APOLLO_LAKE },
};

uint32_t intel_errata_of(const char *cpuid)
{
	unsigned int family;
	unsigned int model;

	if (sscanf(cpuid, "GenuineIntel,%u,%u", &family, &model) != 2)
		return 0;
	for (size_t i = 0; i < sizeof(processors) / sizeof(*processors); i++)
		if (processors[i].family == family &&
		    processors[i].model == model)
			return processors[i].errata;
	return 0;
}

struct intel_setup intel_setup_of(const struct recording *recording)
{
	return (struct intel_setup){
		.clock = intel_clock_setup_of(recording),
		.errata = intel_errata_of(recording_info(recording)->cpuid),
	};
}
