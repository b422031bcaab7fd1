/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WAITS_OFF_INTERVALS_INTERNAL_H
#define KT_TABLES_WAITS_OFF_INTERVALS_INTERNAL_H

#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "tables/waits/off_intervals.h"

struct task_paths;

/* The common part of the trackers of both kinds of intervals: their first
 * member.
 */
struct off_tracker {
	struct event_handler handler;
	struct off_callback *callback;
	const struct task_paths *paths;
	struct function_marks *marks; /* owned */
	bool has_instructions;	      /* STEP_INTERRUPTS of its kind occurred */
	uint64_t contradictions;
	int status;
	void (*end)(struct off_tracker *tracker);
	void (*close)(struct off_tracker *tracker); /* frees its own members */
};

/* Opens @tracker, the start of a zeroed struct that malloc() returned, with
 * @rule_count @rules for its marks. On failure, frees it and returns NULL.
 */
struct off_tracker *off_tracker_open(struct off_tracker *tracker,
				     const struct attribution_input *input,
				     struct off_callback *callback,
				     const struct name_rule *rules,
				     size_t rule_count);

/* Emits @interval, unless its task is NULL; sets the task to NULL. */
void off_tracker_emit(struct off_tracker *tracker,
		      struct off_interval *interval);

/* Begins an interval at @step, in the innermost function whose mark is not
 * @inside. Its task is NULL if no function is open.
 */
struct off_interval off_tracker_begin(const struct off_tracker *tracker,
				      const struct call_step *step,
				      uint8_t kind, uint8_t inside);

/* Ends @interval at @step. */
void off_interval_end(struct off_interval *interval,
		      const struct call_step *step);

void off_interval_add_delay(struct off_interval *interval, uint32_t handler,
			    int32_t tid, uint64_t ns);

#endif
