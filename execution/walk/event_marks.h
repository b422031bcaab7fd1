/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_EVENT_MARKS_H
#define KT_EXECUTION_EVENT_MARKS_H

#include "execution/time/event_times.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Facts that the stream of events needs at a record, in addition to the record
 * itself.
 */
enum event_mark_kind {
	MARK_RUNS,	   /* tracing resumes */
	MARK_SWITCH_POINT, /* the kernel changes stacks here */
	MARK_PAUSE,	   /* tracing paused just before */
	MARK_SYNC,	   /* a watched sync point: see sync_watch.h */
	/* the record is a task switch reported by the trace itself: a flow item
	 */
	MARK_TASK,
};

struct event_mark {
	uint32_t index; /* of the record after the mark */
	uint8_t kind;
	/* Time bounds of a switch point. @high_ns 0: they are unknown, only the
	 * record has an estimated time.
	 */
	uint64_t low_ns;
	uint64_t high_ns;
};

enum { MARKS_ROOM = 2 * EVENT_TIMES_ROOM };

/* The marks of the records not consumed yet, in order. */
struct event_marks {
	size_t count;
	struct event_mark marks[MARKS_ROOM];
};

/* Adds a mark before record @index and returns it. Requires room. */
static inline struct event_mark *event_marks_add(struct event_marks *marks,
						 size_t index,
						 enum event_mark_kind kind)
{
	struct event_mark *mark = &marks->marks[marks->count++];

	*mark = (struct event_mark){
		.index = (uint32_t)index,
		.kind = (uint8_t)kind,
	};
	return mark;
}

/* Returns how many marks can be consumed together with the first @records. A
 * mark is consumed with the record after it; if the records are @all, no record
 * follows and all marks are consumed.
 */
size_t event_marks_ready(const struct event_marks *marks, size_t records,
			 bool all);

/* Removes the first @count marks, which were consumed with the first @records.
 */
void event_marks_drop(struct event_marks *marks, size_t count, size_t records);

#endif
