/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACE_DAT_RING_PAGE_H
#define KT_DECODER_TRACE_DAT_RING_PAGE_H

/* Events in the pages of the kernel's ring buffers, as trace-cmd's trace.dat
 * stores them: the trace of a recording by function_graph.
 *
 *	struct aux_stream: pages ─► ring_pages_next(): events
 *	                         ─► graph_record_next(): entries, exits, switches
 *
 * 1. Pages are untrusted. A damaged page ends at the damage, and the next event
 *    has follows_damage.
 * 2. The kernel's own marks of lost events become has_loss of the next event.
 * 3. An iterator is a plain struct: a copy iterates on its own, to look ahead.
 *
 * No memory is allocated, and threads may read the same stream.
 */

#include "decoder/recording/tracepoint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct aux_stream;

/* One event of the kernel's ring buffer: kernel/trace/ring_buffer.c and
 * include/linux/ring_buffer.h of Linux.
 */
struct ring_event {
	uint64_t time_ns;
	uint64_t place;	      /* in the stream's bytes */
	const uint8_t *bytes; /* in the format of its format file */
	size_t size;
	/* the kernel lost events right before this one */
	bool has_loss;
	bool follows_damage; /* damaged bytes, perhaps of events, precede it */
};

/* An iterator over the pages of one CPU. A copy of it iterates independently.
 */
struct ring_pages {
	const struct graph_trace *graph;
	const struct aux_stream *stream;
	size_t piece;	      /* slice that contains the next page */
	uint64_t at;	      /* offset of the next page in that slice */
	const uint8_t *event; /* the next event of this page */
	const uint8_t *end;   /* end of this page's events */
	const uint8_t *page;
	uint64_t page_place; /* of this page, in the stream */
	uint64_t time_ns;
	bool has_loss;
	bool follows_damage;
};

/* Borrows both arguments. */
struct ring_pages ring_pages_of(const struct graph_trace *graph,
				const struct aux_stream *stream);

/* Returns 1 and the next event, valid as long as the stream; 0 at the end. Of a
 * damaged page it returns the events before the damage.
 */
int ring_pages_next(struct ring_pages *pages, struct ring_event *event);

/* Returns whether any page has events. If so, sets the times of the first
 * event, and of the last one in the last page.
 */
bool ring_pages_times(const struct graph_trace *graph,
		      const struct aux_stream *stream, uint64_t *first_ns,
		      uint64_t *last_ns);

/* An event of enum graph_event. */
struct graph_record {
	uint64_t time_ns;
	uint64_t place;		/* in the stream's bytes */
	enum graph_event event; /* GRAPH_ENTRY also for GRAPH_ENTRY_FROM */
	int32_t tid;		/* the running task */
	uint64_t address;	/* of the function */
	int32_t depth;		/* 0: the outermost call that the tracer sees */
	int32_t previous;	/* GRAPH_SWITCH: the task that leaves */
	int32_t next;		/* GRAPH_SWITCH: the task that runs next */
	bool is_preempted;	/* the previous task was still runnable */
	bool has_loss;		/* before the record: see struct ring_event */
	bool follows_damage;
};

/* Reads the next event of enum graph_event and skips all others. Returns 1 and
 * @record, or 0 at the end. To look ahead, pass a copy of *@pages.
 */
int graph_record_next(struct ring_pages *pages, struct graph_record *record);

/* Fills in @graph: the function_graph tracer's events from @formats (struct
 * tracepoint), and from @page, the format of a page's header, the offset of its
 * events. graph->page_bytes becomes @page_bytes, or 0 if something is missing.
 */
void graph_formats_find(const struct array *formats,
			const struct tracepoint *page, uint32_t page_bytes,
			struct graph_trace *graph);

#endif
