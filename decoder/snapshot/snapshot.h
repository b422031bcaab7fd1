/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SNAPSHOT_SNAPSHOT_H
#define KT_DECODER_SNAPSHOT_SNAPSHOT_H

#include "common/array.h"
#include "decoder/recording/coresight_streams.h"

struct arena;
struct recording;

/* A device of a snapshot: a CPU or a trace unit. */
struct snapshot_device {
	const char *name;
	const char *kind;	    /* "core", "trace_source" */
	const char *type;	    /* "Cortex-A7", "ETM4" … */
	bool has_protocol;	    /* a trace unit that we decode */
	struct coresight_unit unit; /* its registers */
};

/* A range of memory in a file. */
struct snapshot_dump {
	const char *section;
	const char *file;
	uint64_t address;
	uint64_t size_bytes; /* UINT64_MAX: up to the end of the file */
	uint64_t file_offset;
};

/* Parses the text of a device's ini file; dumps are appended to @dumps (struct
 * snapshot_dump). Strings are allocated in @arena. Returns 0 or -ERROR_MEMORY.
 */
int snapshot_device_read(const void *text, size_t size, struct arena *arena,
			 struct snapshot_device *device, struct array *dumps);

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

/* Fills in @recording from the snapshot whose snapshot.ini is its data path:
 * architecture, trace units, buffers and memory.
 *
 * A snapshot is a directory as written by Arm's debuggers and read by OpenCSD:
 * a trace buffer's contents, the registers of the trace units, dumps of memory.
 * The format: OpenCSD's decoder/docs/specs/ARM Trace and Debug Snapshot file
 * format. It may also contain a copy of the traced kernel's /proc/kallsyms and
 * /proc/modules, as kallsyms and modules.
 *
 * Trace that is of no CPU or unreadable is logged and left out. Returns 0 or a
 * negative enum error: if no trace is left, -ERROR_UNSUPPORTED if another trace
 * source than a CPU's exists, else -ERROR_FORMAT. A CPU has the number in its
 * core's name. If a name has no number, or two have the same, all CPUs have
 * their indexes in the list instead.
 */
int snapshot_read(struct recording *recording);

#endif
