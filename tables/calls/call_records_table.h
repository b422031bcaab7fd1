/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALLS_CALL_RECORDS_TABLE_H
#define KT_TABLES_CALLS_CALL_RECORDS_TABLE_H

#include "attribution/task_tracker.h"
#include "common/array.h"
#include "tables/calls/call_record.h"

#include <stdbool.h>

struct system_call;

/* Builds the record of each system call while it runs. */
struct call_recorder {
	/* must be first; registered with the task tracker */
	struct task_listener listener;
	/* Called when @call starts: returns whether to make a record. NULL:
	 * record all calls.
	 */
	bool (*wants)(struct call_recorder *recorder,
		      const struct system_call *call);
	/* Called when a call ends, with its record, which is valid only during
	 * the callback; NULL: no record was made. Returns 0 or -ERROR_MEMORY.
	 */
	int (*consume)(struct call_recorder *recorder,
		       const struct system_call *call,
		       const struct call_record *record);
	struct array open; /* struct open_record by task index */
};

/* Initializes the listener and the empty records of @recorder, whose function
 * pointers the caller has set.
 */
void call_recorder_open(struct call_recorder *recorder);
void call_recorder_free(struct call_recorder *recorder);

#endif
