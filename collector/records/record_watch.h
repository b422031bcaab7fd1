/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORD_WATCH_H
#define KT_COLLECTOR_RECORD_WATCH_H

#include "collector/rings/cpu_rings.h"

#include <stdint.h>

struct loaded_code;
struct program_copies;

/* Statistics of a recording, counted from the records in its rings. */
struct record_counts {
	uint64_t lost_records;
	uint64_t truncated;
};

/* Examines each of @records: adds to @counts, passes code changes to @loaded,
 * which may be NULL, and programs' mappings of code to @programs, which may be
 * NULL, too.
 */
void record_watch(const struct ring_bytes *records,
		  struct record_counts *counts, struct loaded_code *loaded,
		  struct program_copies *programs);

#endif
