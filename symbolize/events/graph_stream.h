/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GRAPH_STREAM_H
#define KT_SYMBOLIZE_GRAPH_STREAM_H

#include "common/array.h"
#include "decoder/trace_dat/graph_record.h"
#include "symbolize/events/function_event.h"
#include "symbolize/events/graph_tasks.h"
#include "symbolize/symbols/symbols.h"

#include <stdbool.h>
#include <stdint.h>

/* One CPU's stream. */
struct graph_events {
	const struct symbols *symbols;
	struct graph_tasks *tasks;
	int32_t cpu;
	struct ring_pages pages; /* behind the record */
	struct graph_record record;
	bool has_record;	 /* it is still to be taken */
	struct graph_task *task; /* who runs */
	bool is_running;	 /* and is traced */
	bool has_next;		 /* a switch was announced, to: */
	int32_t next_tid;
	bool is_preempted;
	uint64_t last_ns;   /* of the newest event */
	uint64_t record_ns; /* of the record before */
	uint64_t pace_ns;   /* from one record to the next, mostly */
	bool has_ended;
	struct array out; /* struct function_event */
};

/* Returns the symbol of the function that @record is of. */
struct symbol graph_events_symbol(const struct graph_events *events,
				  const struct graph_record *record);

/* Add an event at @time_ns, but not before the newest, or at the time of the
 * record.  Return 0 or -ERROR_MEMORY.
 */
int graph_events_add_at(struct graph_events *events,
			struct function_event event, uint64_t time_ns);
int graph_events_add(struct graph_events *events, struct function_event event);

/* Apply the record, an entry or an exit of its task's, to the task's stack.
 * Return 0 or -ERROR_MEMORY.
 */
int graph_calls_enter(struct graph_events *events);
int graph_calls_exit(struct graph_events *events);

#endif
