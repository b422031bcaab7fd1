/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_EVENT_MARKS_H
#define KT_EXECUTION_EVENT_MARKS_H

#include "execution/time/event_times.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This is what the stream of events needs to know at a record, besides it. */
enum event_mark_kind {
	MARK_RUNS,	   /* tracing goes on */
	MARK_SWITCH_POINT, /* the kernel changes stacks here */
	MARK_PAUSE,	   /* tracing paused just before */
	MARK_SYNC,	   /* a synchronisation point that is watched */
	MARK_TASK,	   /* the record is a switch, told by the trace: a
				 * flow item */
};

struct event_mark {
	uint32_t index; /* the record that follows the mark */
	uint8_t kind;
	/* Bounds of a switch point's time; both 0 where only the record's own
	 * time is known.
	 */
	uint64_t low_ns;
	uint64_t high_ns;
};

enum { MARKS_ROOM = 2 * EVENT_TIMES_ROOM };

/* The marks of the records that wait, in order. */
struct event_marks {
	size_t count;
	struct event_mark marks[MARKS_ROOM];
};

/* Adds one before record @index.  Returns it. */
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

/* Returns how many marks can be handed out with the first @records: a mark comes with
 * the record that follows it, if there is one, and none follows if they are @all.
 */
size_t event_marks_ready(const struct event_marks *marks, size_t records,
			 bool all);

/* Drops the first @count marks, which were handed out with the first @records. */
void event_marks_drop(struct event_marks *marks, size_t count, size_t records);

#endif
