/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_RECORDING_H
#define KT_SQL_RECORDING_H

#include "tables/table.h"

struct step_callback;
struct task_stacks;

/* How much of a recording is to be decoded. */
struct sql_run {
	struct time_window window; /* in which clocks go */
	uint64_t done_ns;	   /* from here on the callback may be done */
};

/* A recording that queries are about, open. */
struct sql_recording {
	struct attribution_input input; /* of all of it; all borrowed */
	/* Sends it past @callback: decoding is not this folder's to arrange.
	 * Several threads may run it at once.
	 *
	 * Returns 0 and *@stacks, to be freed by task_stacks_free(), or a
	 * negative enum error.
	 */
	int (*run)(const struct sql_recording *recording,
		   const struct sql_run *run, struct step_callback *callback,
		   struct task_stacks **stacks);
	/* Returns whether rows may be kept beside the recording, and sets *@key
	 * to what they depend on.
	 */
	bool (*keeps_rows)(const struct sql_recording *recording,
			   uint64_t *key);
};

#endif
