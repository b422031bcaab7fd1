/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORD_WATCH_H
#define KT_COLLECTOR_RECORD_WATCH_H

#include "collector/rings/cpu_rings.h"
#include "common/formats/build_id_cache.h"
#include "common/formats/program_key.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loaded_code;
struct program_copies;

/* A record of a mapping, PERF_RECORD_MMAP2 (include/uapi/linux/perf_event.h). */
struct mapping_record {
	struct mapping_fields {
		uint32_t pid;
		uint32_t tid;
		uint64_t address;
		uint64_t size_bytes;
		uint64_t file_offset;
		union {
			uint8_t inode[PROGRAM_INODE_BYTES]; /* device, number, generation */
			struct {
				uint8_t size;
				uint8_t reserved[3];
				uint8_t bytes[ELF_BUILD_ID_SIZE];
			} build_id; /* PERF_RECORD_MISC_MMAP_BUILD_ID */
		};
		uint32_t protection;
		uint32_t flags;
	} fields;
	char path[PATH_MAX];
};

/* Reads the @size bytes after the header of a mapping record, at @position of
 * @records. Returns false if the record is too short, or its path too long.
 */
bool mapping_record_read(const struct ring_bytes *records, size_t position,
			 size_t size, struct mapping_record *record);

/* Statistics of a recording, counted from the records in its rings. */
struct record_counts {
	uint64_t lost_records;
	uint64_t truncated;  /* the trace stopped: its buffer was full */
	uint64_t full_parts; /* it continued in the next part of the buffer */
};

/* Examines each of @records: adds to @counts, passes code changes to @loaded,
 * which may be NULL, and programs' mappings of code to @programs, which may be
 * NULL, too.
 */
void record_watch(const struct ring_bytes *records,
		  struct record_counts *counts, struct loaded_code *loaded,
		  struct program_copies *programs);

#endif
