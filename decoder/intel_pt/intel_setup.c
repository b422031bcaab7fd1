/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_setup.h"
#include "decoder/recording/recording.h"

#include <stdio.h>

/* Which processors have which, by family and model. */
enum core {
	BROADWELL = INTEL_ERRATUM_BDM64 | INTEL_ERRATUM_BDM70,
	SKYLAKE = INTEL_ERRATUM_BDM70 | INTEL_ERRATUM_SKD007 |
		  INTEL_ERRATUM_SKD022 | INTEL_ERRATUM_SKL014,
	SKYLAKE_X = INTEL_ERRATUM_BDM70 | INTEL_ERRATUM_SKD022 |
		    INTEL_ERRATUM_SKZ84,
	ICELAKE = INTEL_ERRATUM_BDM70 | INTEL_ERRATUM_SKD022 |
		  INTEL_ERRATUM_SKL014,
	ALDERLAKE = INTEL_ERRATUM_BDM70 | INTEL_ERRATUM_SKD022,
	APOLLO_LAKE = INTEL_ERRATUM_APL12,
};

static const struct {
	uint8_t family;
	uint8_t model;
	uint32_t errata;
} processors[] = {
	{ 6, 0x3d, BROADWELL },
	{ 6, 0x47, BROADWELL },
	{ 6, 0x4f, BROADWELL },
	{ 6, 0x56, BROADWELL },
	{ 6, 0x4e, SKYLAKE },
	{ 6, 0x5e, SKYLAKE },
	{ 6, 0x8e, SKYLAKE },
	{ 6, 0x9e, SKYLAKE },
	{ 6, 0xa5, SKYLAKE },
	{ 6, 0xa6, SKYLAKE },
	{ 6, 0x55, SKYLAKE_X },
	{ 6, 0x6a, SKYLAKE_X | ICELAKE },
	{ 6, 0x6c, SKYLAKE_X | ICELAKE },
	{ 6, 0x8f, SKYLAKE_X },
	{ 6, 0xcf, SKYLAKE_X },
	{ 6, 0xad, SKYLAKE_X },
	{ 6, 0xae, SKYLAKE_X },
	{ 13, 1, SKYLAKE_X },
	{ 6, 0x66, ICELAKE },
	{ 6, 0x7d, ICELAKE },
	{ 6, 0x7e, ICELAKE },
	{ 6, 0x8c, ICELAKE },
	{ 6, 0x8d, ICELAKE },
	{ 6, 0xa7, ICELAKE },
	{ 6, 0xa8, ICELAKE },
	{ 6, 0x97, ALDERLAKE },
	{ 6, 0x9a, ALDERLAKE },
	{ 6, 0xba, ALDERLAKE },
	{ 6, 0xb7, ALDERLAKE },
	{ 6, 0xbf, ALDERLAKE },
	{ 6, 0xc5, ALDERLAKE },
	{ 6, 0xc6, ALDERLAKE },
	{ 6, 0xb5, ALDERLAKE },
	{ 6, 0xaa, ALDERLAKE },
	{ 6, 0xac, ALDERLAKE },
	{ 6, 0xbd, ALDERLAKE },
	{ 6, 0xcc, ALDERLAKE },
	{ 6, 0xd5, ALDERLAKE },
	{ 12, 1, ALDERLAKE },
	{ 12, 3, ALDERLAKE },
	{ 6, 0x5c, APOLLO_LAKE },
	{ 6, 0x5f, APOLLO_LAKE },
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
