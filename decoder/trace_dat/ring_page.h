/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RING_PAGE_H
#define KT_DECODER_RING_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aux_stream;
struct graph_trace;

/* One event of the kernel's ring buffer: kernel/trace/ring_buffer.c and
 * include/linux/ring_buffer.h of Linux.
 */
struct ring_event {
	uint64_t time_ns;
	uint64_t place;	      /* in the stream's bytes */
	const uint8_t *bytes; /* in the format of its format file */
	size_t size;
	/* events before it were lost before they were written */
	bool has_loss;
	bool is_behind_bad; /* it or events before it are damaged */
};

/* An iterator over the pages of one CPU. A copy of it iterates independently.
 */
struct ring_pages {
	const struct graph_trace *graph;
	const struct aux_stream *stream;
	size_t piece;	      /* slice of the next page, */
	uint64_t at;	      /* and the page's offset in the slice */
	const uint8_t *event; /* the next event of this page, and their end */
	const uint8_t *end;
	const uint8_t *page;
	uint64_t page_place; /* of this page, in the stream */
	uint64_t time_ns;
	bool has_loss;
	bool is_behind_bad;
};

/* Borrows both arguments. */
struct ring_pages ring_pages_of(const struct graph_trace *graph,
				const struct aux_stream *stream);

/* Returns 1 and the next event, valid as long as the stream; 0 at the end. Of a
 * damaged page it returns the events before the damage.
 */
int ring_pages_next(struct ring_pages *pages, struct ring_event *event);

/* Returns whether any page has events, and if so the times of the first and the
 * last event.
 */
bool ring_pages_times(const struct graph_trace *graph,
		      const struct aux_stream *stream, uint64_t *first_ns,
		      uint64_t *last_ns);

#endif
