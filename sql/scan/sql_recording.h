/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_RECORDING_H
#define KT_SQL_RECORDING_H

#include "tables/table.h"

struct step_callback;
struct task_stacks;

/* The part of a recording to decode. */
struct sql_run {
	struct time_window window; /* the window in which clocks advance */
	/* the callback may report done from this time on */
	uint64_t done_ns;
};

/* An open recording for queries. */
struct sql_recording {
	/* of the whole recording; all borrowed */
	struct attribution_input input;
	/* Decodes the recording and passes it to @callback. It is a function
	 * pointer because decoding belongs to the caller's layer. Several
	 * threads may run it at once.
	 *
	 * Returns 0 and *@stacks, which the caller frees with
	 * task_stacks_free(), or a negative enum error.
	 */
	int (*run)(const struct sql_recording *recording,
		   const struct sql_run *run, struct step_callback *callback,
		   struct task_stacks **stacks);
	/* Returns whether rows may be cached beside the recording, and sets
	 * *@key to the identity of their inputs.
	 */
	bool (*keeps_rows)(const struct sql_recording *recording,
			   uint64_t *key);
};

#endif
