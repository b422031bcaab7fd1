/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SNAPSHOT_TRACE_H
#define KT_DECODER_SNAPSHOT_TRACE_H

#include "common/array.h"

struct arena;

/* A buffer's contents. */
struct snapshot_buffer {
	const char *section;
	const char *name;
	const char *file;
	const char *format; /* "coresight": in frames; "source_data": without */
};

/* A pair of names that belong together. */
struct snapshot_link {
	const char *from;
	const char *to;
};

/* The contents of a snapshot's trace metadata. */
struct snapshot_trace {
	struct array buffers; /* struct snapshot_buffer */
	struct array outputs; /* struct snapshot_link: source, buffers */
	struct array cores;   /* struct snapshot_link: core, source */
};

/* Parses the text of the metadata; strings are allocated in @arena. Returns 0
 * or -ERROR_MEMORY. Must be freed either way.
 */
int snapshot_trace_read(const void *text, size_t size, struct arena *arena,
			struct snapshot_trace *trace);
void snapshot_trace_free(struct snapshot_trace *trace);

#endif
