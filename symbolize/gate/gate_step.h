/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_STEP_H
#define KT_SYMBOLIZE_GATE_STEP_H

#include <stdbool.h>
#include <stdint.h>

struct sideband_record;

/* More than the functions in the kernel's call chains (PERF_MAX_STACK_DEPTH).
 */
enum { GATE_CHAIN_MAX = 127 };

/* One mark of the recorder's probes (common/recording_events.h). */
struct gate_step {
	uint64_t time_ns;
	uint8_t kind;	/* enum gate_mark_kind */
	uint32_t count; /* of chain */
	/* The kernel's call chain, innermost function first: the current
	 * address, then the return addresses.
	 */
	uint64_t chain[GATE_CHAIN_MAX];
};

/* Provides the next mark of a CPU, in order of time. Returns 1 and sets @step,
 * 0 at the end, or a negative enum error.
 */
typedef int gate_step_source(void *ctx, struct gate_step *step);

/* Returns whether @record is a mark, and if so sets @step. A mark of unknown
 * kind or with too few bytes is none.
 */
bool gate_step_read(const struct sideband_record *record,
		    struct gate_step *step);

#endif
