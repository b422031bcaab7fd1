/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CALL_RECORDER_H
#define KT_ATTRIBUTION_CALL_RECORDER_H

#include "attribution/calls/call_record.h"
#include "attribution/calls/call_trace.h"
#include "attribution/sleeps/sleep_places.h"
#include "common/array.h"

#include <stdbool.h>

struct sleep;
struct task;

/* This is what is known of the call that a task is in. */
struct open_record {
	struct call_trace trace;
	struct sleep_places places;
	bool is_open;
};

/* Puts the record of each call together that a task is in. */
struct call_recorder {
	struct array open; /* struct open_record by task index */
};

#define CALL_RECORDER_EMPTY \
	((struct call_recorder){ .open = ARRAY_OF(struct open_record) })

void call_recorder_free(struct call_recorder *recorder);

/* @call begins.  Returns 0 or -ERROR_MEMORY. */
int call_recorder_begin(struct call_recorder *recorder,
			const struct system_call *call);

/* Take a step or a sleep of a task; one that is in no call which began here
 * does not matter.  Return 0 or -ERROR_MEMORY.
 */
int call_recorder_step(const struct call_recorder *recorder,
		       const struct call_step *step);
int call_recorder_sleep(const struct call_recorder *recorder,
			const struct sleep *sleep);

/* @call has ended.  Returns whether it began here, and sets *@record, which is
 * valid until the task's next call begins.
 */
bool call_recorder_end(const struct call_recorder *recorder,
		       const struct system_call *call,
		       struct call_record *record);

#endif
