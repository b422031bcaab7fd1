/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_KEPT_CHUNK_H
#define KT_COMMON_KEPT_CHUNK_H

#include "common/chunk_file.h"

#include <stdbool.h>
#include <stdint.h>

struct pack;

/* The ranges of start times and of end times of some records, inclusive. */
struct kept_span {
	uint64_t first_begin_ns;
	uint64_t last_begin_ns;
	uint64_t first_end_ns;
	uint64_t last_end_ns;
};

/* Returns the span of one record. */
static inline struct kept_span kept_span_of(uint64_t begin_ns, uint64_t end_ns)
{
	return (struct kept_span){ begin_ns, begin_ns, end_ns, end_ns };
}

#define KEPT_SPAN_ALL ((struct kept_span){ 0, UINT64_MAX, 0, UINT64_MAX })

/* A chunk of cached records, one after the other, with the span of their times.
 */
struct kept_chunk {
	struct kept_span span; /* of records without times: KEPT_SPAN_ALL */
	uint32_t records;
	struct chunk chunk;
};

/* A chunk without records. */
#define KEPT_CHUNK_EMPTY \
	((struct kept_chunk){ \
		.span = { .first_begin_ns = UINT64_MAX, \
			  .first_end_ns = UINT64_MAX }, \
	})

enum { KEPT_CHUNK_RECORDS = 1024 };

/* Adds a record with the span @span to the statistics of @chunk. */
void kept_chunk_count(struct kept_chunk *chunk, const struct kept_span *span);

/* Returns whether the chunk may have a record that starts and ends in @wanted.
 */
bool kept_chunk_is_wanted(const struct kept_chunk *chunk,
			  const struct kept_span *wanted);

/* Writes or reads the chunk's description. */
void kept_chunk_pack(struct kept_chunk *chunk, struct pack *pack);

#endif
