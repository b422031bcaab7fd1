/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_RECORDER_H
#define KT_TABLES_CALL_RECORDER_H

#include "attribution/task_tracker.h"
#include "common/array.h"
#include "tables/calls/call_record.h"
#include "tables/calls/call_trace.h"
#include "tables/sleeps/sleep_places.h"

#include <stdbool.h>

struct system_call;

/* This is what is known of the call that a task is in. */
struct open_record {
	struct call_trace trace;
	struct sleep_places places;
	bool is_open;
};

/* Puts the record of each call together that a task is in. */
struct call_recorder {
	struct task_listener listener; /* first: of the task tracker */
	/* Returns whether @call, which begins, is to have a record; NULL: all
	 * are.
	 */
	bool (*wants)(struct call_recorder *recorder,
		      const struct system_call *call);
	/* Takes each call as it ends, with its record, which lives for the call
	 * only; NULL: it has none.  Returns 0 or -ERROR_MEMORY.
	 */
	int (*take)(struct call_recorder *recorder,
		    const struct system_call *call,
		    const struct call_record *record);
	struct array open; /* struct open_record by task index */
};

/* Makes the listener and an empty recorder of @recorder, whose functions are
 * set.
 */
void call_recorder_open(struct call_recorder *recorder);
void call_recorder_free(struct call_recorder *recorder);

#endif
