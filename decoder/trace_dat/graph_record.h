/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_GRAPH_RECORD_H
#define KT_DECODER_GRAPH_RECORD_H

#include "decoder/recording/graph_trace.h"
#include "decoder/trace_dat/ring_page.h"

#include <stdbool.h>
#include <stdint.h>

/* An event of enum graph_event. */
struct graph_record {
	uint64_t time_ns;
	uint64_t place;		/* in the stream's bytes */
	enum graph_event event; /* GRAPH_ENTRY also for GRAPH_ENTRY_FROM */
	int32_t tid;		/* who ran */
	uint64_t address;	/* of the function */
	int32_t depth;		/* 0: the outermost that the tracer sees */
	int32_t previous;	/* GRAPH_SWITCH: from this task … */
	int32_t next;		/* … to this one */
	bool is_preempted;	/* the one before still wanted to run */
	bool has_loss;		/* before it: see struct ring_event */
	bool is_behind_bad;
};

/* Reads on up to the next event that is one.  Returns 1 and @record, or 0 at
 * the end; *@pages may be a copy, to look ahead.
 */
int graph_record_next(struct ring_pages *pages, struct graph_record *record);

#endif
