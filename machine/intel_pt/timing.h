/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_TIMING_H
#define KT_MACHINE_INTEL_PT_TIMING_H

#include "machine/intel_pt/cpuid.h"
#include "machine/intel_pt/output.h"

#include <stdbool.h>
#include <stdint.h>

/* Timing packets: TSC, TMA, MTC, CYC, CBR.
 *
 * The core clock runs at the TSC's rate, so a cycle is a TSC tick and CBR is
 * the TSC's ratio to the bus clock. It stands still while the CPU is halted.
 * All times are guest TSC values.
 */
struct pt_timing {
	struct pt_output *output;
	uint64_t first_tsc;   /* when tracing first started; 0: never */
	uint64_t last_cyc;    /* TSC of the last sent cycle count */
	uint64_t last_period; /* crystal ticks >> MTCFreq, as last sent */
	/* start of the next period; UINT64_MAX: never */
	uint64_t next_period_tsc;
	struct pt_rates rates;
};

void pt_timing_init(struct pt_timing *timing, struct pt_output *output,
		    const struct pt_rates *rates);

/* Starts counting cycles and periods when TraceEn was set at @tsc. */
void pt_timing_start(struct pt_timing *timing, uint64_t tsc);

/* Writes CYC if cycle packets are on and CycThresh cycles have passed. */
void pt_timing_cycles(struct pt_timing *timing, uint64_t tsc);

/* The packets that are due because time has passed until @tsc: an MTC when the
 * crystal clock entered a new period. After many periods without an event a
 * decoder could not count them, so TSC and TMA are written instead.
 *
 * pt_timing_is_due() returns true if such packets are due. The caller must then
 * write pending TNT bits, which are older, before pt_timing_catch_up().
 */
bool pt_timing_is_due(const struct pt_timing *timing, uint64_t tsc);
void pt_timing_catch_up(struct pt_timing *timing, uint64_t tsc);

/* Writes TSC and, with MTC on, TMA: in PSB+, after an overflow or a sleep. */
void pt_timing_absolute(struct pt_timing *timing, uint64_t tsc);

/* Writes CBR, as in PSB+. */
void pt_timing_bus_ratio(struct pt_timing *timing);

/* Reports that the CPU slept until @tsc, without cycles since it halted at
 * @halted.
 */
void pt_timing_slept(struct pt_timing *timing, uint64_t halted, uint64_t tsc);

#endif
