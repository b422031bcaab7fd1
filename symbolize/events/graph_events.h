/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GRAPH_EVENTS_H
#define KT_SYMBOLIZE_GRAPH_EVENTS_H

#include "symbolize/events/function_event.h"

#include <stdint.h>

struct aux_stream;
struct graph_tasks;
struct log;
struct recording;
struct symbols;

/* What the kernel's function_graph tracer wrote on one CPU, as function events.
 * Each entry and exit that it wrote is a call and a return, at its time.  The
 * kernel's entries, which it cannot see, are inferred from what they call
 * (enum graph_role): a system call lasts from the first function to the last
 * one that is seen of it.
 *
 * Tasks go from CPU to CPU: the streams of all CPUs share @tasks, and a stream
 * may be asked for what is behind a FUNCTION_SWITCH only when the task is done
 * elsewhere, as event_merge does.
 */
struct graph_events;

/* Borrows all but @opened.  Returns 0 and *@opened, or -ERROR_MEMORY. */
int graph_events_open(const struct recording *recording,
		      const struct aux_stream *stream,
		      const struct symbols *symbols, struct graph_tasks *tasks,
		      struct graph_events **opened);
void graph_events_close(struct graph_events *events);

/* Provides the next events, 1 or more, valid until the next call; those behind
 * a FUNCTION_SWITCH are another call's.
 *
 * Returns their count, 0 after FUNCTION_END was delivered, or -ERROR_MEMORY.
 */
int graph_events_next(struct graph_events *events,
		      const struct function_event **batch);

/* Returns who runs first on the CPU of @stream; -1 if that is not known. */
int32_t graph_events_first_tid(const struct recording *recording,
			       const struct aux_stream *stream);

#endif
