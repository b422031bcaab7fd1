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
	int32_t tid;		/* the running task */
	uint64_t address;	/* of the function */
	int32_t depth;		/* 0: the outermost call that the tracer sees */
	int32_t previous;	/* GRAPH_SWITCH: from this task … */
	int32_t next;		/* … to this one */
	bool is_preempted;	/* the previous task was still runnable */
	bool has_loss;		/* before the record: see struct ring_event */
	bool is_behind_bad;
};

/* Reads the next event of enum graph_event and skips all others. Returns 1 and
 * @record, or 0 at the end. To look ahead, pass a copy of *@pages.
 */
int graph_record_next(struct ring_pages *pages, struct graph_record *record);

#endif
