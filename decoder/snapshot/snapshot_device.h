/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SNAPSHOT_DEVICE_H
#define KT_DECODER_SNAPSHOT_DEVICE_H

#include "decoder/recording/coresight_unit.h"

struct arena;
struct array;

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

#endif
