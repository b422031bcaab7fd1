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
	const char *format; /* "coresight": in frames; "source_data": bare */
};

/* Which goes with which, by name. */
struct snapshot_link {
	const char *from;
	const char *to;
};

/* This is what a snapshot's trace metadata says. */
struct snapshot_trace {
	struct array buffers; /* struct snapshot_buffer */
	struct array outputs; /* struct snapshot_link: source, buffers */
	struct array cores;   /* struct snapshot_link: core, source */
};

/* Reads the text of the metadata; texts go to @arena.  Returns 0 or
 * -ERROR_MEMORY.  Free it either way.
 */
int snapshot_trace_read(const void *text, size_t size, struct arena *arena,
			struct snapshot_trace *trace);
void snapshot_trace_free(struct snapshot_trace *trace);

#endif
