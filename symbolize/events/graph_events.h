/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_EVENTS_GRAPH_EVENTS_H
#define KT_SYMBOLIZE_EVENTS_GRAPH_EVENTS_H

#include "symbolize/events/function_event.h"

#include <stdint.h>

struct aux_stream;
struct graph_tasks;
struct recording;
struct symbols;

/* Makes the function events of one CPU from records of the kernel's
 * function_graph tracer. An entry record becomes a call, an exit record a
 * return. The tracer does not report the kernel's entry code, which is inferred
 * from the functions that it calls (enum graph_role): a system call lasts from
 * the first to the last function recorded for it.
 *
 * An entry record at depth 0 has a caller that the tracer did not report: the
 * function's role, and the time since the previous function, decide whether it
 * continues the task's context or starts a new one (enter_outermost()). When a
 * function at depth 0 ends, the following records are read ahead to decide
 * whether the context ends, too.
 *
 * Tasks move between CPUs, so the streams of all CPUs share @tasks. After a
 * FUNCTION_SWITCH to a task, its stack is only complete when the other CPUs'
 * streams have been read up to that time: the caller must read streams in order
 * of time, as event_merge does.
 */
struct graph_events;

/* Opens the stream. Borrows all arguments. Returns 0 and sets *@opened, or
 * returns -ERROR_MEMORY.
 */
int graph_events_open(const struct recording *recording,
		      const struct aux_stream *stream,
		      const struct symbols *symbols, struct graph_tasks *tasks,
		      struct graph_events **opened);
void graph_events_close(struct graph_events *events);

/* Provides the next events, 1 or more, valid until the next call. A
 * FUNCTION_SWITCH is the last event of a call.
 *
 * Returns their count, 0 after FUNCTION_END was provided, or -ERROR_MEMORY.
 */
int graph_events_next(void *events, const struct function_event **batch);

/* Returns the first task on the CPU of @stream; -1 if unknown. */
int32_t graph_events_first_tid(const struct recording *recording,
			       const struct aux_stream *stream);

#endif
