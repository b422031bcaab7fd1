/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_GRAPH_TRACE_H
#define KT_DECODER_GRAPH_TRACE_H

#include "decoder/recording/tracepoint.h"

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* The events that the kernel's function_graph tracer writes into the ring
 * buffer, and the scheduler events needed with them:
 * kernel/trace/trace_entries.h and include/trace/events/sched.h of Linux. Their
 * fields are located by the format files of the recording: Linux 6.1, 6.12 and
 * 7.3 differ.
 */
enum graph_event {
	GRAPH_ENTRY,
	GRAPH_ENTRY_FROM, /* funcgraph_retaddr_entry: with its caller */
	GRAPH_EXIT,
	GRAPH_SWITCH,
	GRAPH_EVENTS,
};

/* The layout of a ring buffer's page and of the events above. Fields that a
 * kernel does not have are NULL, missing events have id 0.
 */
struct graph_trace {
	uint32_t page_bytes;   /* of each page; 0: no such trace */
	uint32_t commit_bytes; /* size of a page's commit count */
	uint32_t data_offset;  /* offset of the first event in a page */
	/* any stream has an entry or an exit: trace-cmd describes them even if
	 * it recorded none
	 */
	bool has_functions;
	struct tracepoint_field type;
	struct tracepoint_field flags;
	struct tracepoint_field pid;
	uint32_t ids[GRAPH_EVENTS];
	struct tracepoint_field function[GRAPH_EVENTS];
	struct tracepoint_field depth[GRAPH_EVENTS];
	struct tracepoint_field previous_pid; /* GRAPH_SWITCH */
	struct tracepoint_field previous_state;
	struct tracepoint_field next_pid;
};

const struct graph_trace *
recording_graph_trace(const struct recording *recording);

#endif
