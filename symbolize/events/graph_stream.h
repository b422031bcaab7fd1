/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GRAPH_STREAM_H
#define KT_SYMBOLIZE_GRAPH_STREAM_H

#include "common/array.h"
#include "decoder/trace_dat/ring_page.h"
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
	struct ring_pages pages; /* after @record */
	struct graph_record record;
	bool has_record;	 /* @record is not consumed yet */
	struct graph_task *task; /* the running task */
	bool is_running;	 /* @task is being traced */
	bool has_next;		 /* a switch to next_tid was announced */
	int32_t next_tid;
	bool is_preempted;
	uint64_t last_ns;   /* time of the newest event */
	uint64_t record_ns; /* time of the previous record */
	uint64_t pace_ns;   /* usual time between two records */
	bool has_ended;
	struct array out; /* struct function_event */
};

/* Returns the symbol of @record's function. */
struct symbol graph_events_symbol(const struct graph_events *events,
				  const struct graph_record *record);

/* Add an event at @time_ns, or at the time of the current record, but not
 * before the newest event. Return 0 or -ERROR_MEMORY.
 */
int graph_events_add_at(struct graph_events *events,
			struct function_event event, uint64_t time_ns);
int graph_events_add(struct graph_events *events, struct function_event event);

/* Apply the current record, an entry or exit of a function of the running task,
 * to the task's stack. Return 0 or -ERROR_MEMORY.
 */
int graph_calls_enter(struct graph_events *events);
int graph_calls_exit(struct graph_events *events);

#endif
