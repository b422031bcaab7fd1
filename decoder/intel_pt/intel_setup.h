/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_SETUP_H
#define KT_DECODER_INTEL_SETUP_H

#include "decoder/intel_pt/intel_clock.h"

#include <stdint.h>

struct recording;

/* Processor errata that change the meaning of packets, from Intel's
 * specification updates, under the name of the first family that has each.
 */
enum intel_erratum {
	/* A branch that used trace may be missing before an abort's FUP. */
	INTEL_ERRATUM_BDM64 = 1 << 0,
	/* PSB+ may contain a FUP although tracing starts right after it. */
	INTEL_ERRATUM_BDM70 = 1 << 1,
	/* An OVF may overwrite all but the first byte of a CYC. */
	INTEL_ERRATUM_SKD007 = 1 << 2,
	/* A virtual machine entry that stops the trace may look like an
	 * interrupt before it.
	 */
	INTEL_ERRATUM_SKD022 = 1 << 3,
	/* The target of a direct branch out of the filter may be missing. */
	INTEL_ERRATUM_SKL014 = 1 << 4,
	/* A FUP may follow an OVF although tracing is off. */
	INTEL_ERRATUM_APL12 = 1 << 5,
	/* A TMA may be one byte longer, and wrong. */
	INTEL_ERRATUM_SKZ84 = 1 << 6,
};

/* The properties of a trace that are not in its bytes. */
struct intel_setup {
	struct intel_clock_setup clock;
	uint32_t errata; /* enum intel_erratum */
};

struct intel_setup intel_setup_of(const struct recording *recording);

/* Returns the errata (enum intel_erratum) of the processor with perf.data's
 * @cpuid: "GenuineIntel,6,78,3".
 */
uint32_t intel_errata_of(const char *cpuid);

#endif
