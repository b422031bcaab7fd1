/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORD_WALK_H
#define KT_DECODER_RECORD_WALK_H

#include "common/array.h"
#include "common/file_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct data_file;
struct recording;

/* One record as it lies in the recording. */
struct record {
	uint32_t type;
	uint16_t misc;
	uint16_t size;	      /* of the record, its header included */
	const uint8_t *bytes; /* header first */
	uint64_t file_offset; /* of a compressed one: of its container */
	/* This is what follows the record and is not counted in its size: the
	 * trace bytes of AUXTRACE, the formats of TRACING_DATA.
	 */
	const uint8_t *trailer;
	uint64_t trailer_size;
	bool trailer_cut;
};

/* All records of a file, the compressed ones unpacked. */
struct record_store {
	const struct data_file *file;
	struct array spans; /* struct record_span, in order */
	struct file_map unpacked;
	/* Where the walk had to end early, and why; NULL if it did not. */
	uint64_t stop_offset;
	const char *stop_reason;
};

/* Finds the records of @file, which it borrows.  Returns 0, -ERROR_MEMORY or
 * -ERROR_SYSTEM.  Records that break the format end the walk at their place.
 */
int record_store_open(struct record_store *store, const struct data_file *file);
void record_store_close(struct record_store *store);

struct record_walk {
	const struct record_store *store;
	size_t span;
	uint64_t offset;
	uint64_t released[2]; /* given back before this: of the file, and of
				 * what was unpacked */
};

struct record_walk record_walk_of(const struct record_store *store);

/* Returns 1 and @record, or 0 at the end. */
int record_walk_next(struct record_walk *walk, struct record *record);

/* Records that @walk passed before it was as @place need not stay in memory.
 * They are there still for who looks at them again.
 */
void record_walk_release(struct record_walk *walk,
			 const struct record_walk *place);

/* The same for who goes through some of the records, and is at @bytes: those of
 * the file before it.  *@released is at first 0.
 */
void record_store_release(const struct record_store *store,
			  const uint8_t *bytes, uint64_t *released);

/* Those of @recording. */
const struct record_store *recording_store(const struct recording *recording);

#endif
