/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_KEPT_CHUNK_H
#define KT_COMMON_KEPT_CHUNK_H

#include "common/chunk_file.h"

#include <stdbool.h>
#include <stdint.h>

struct pack;

/* From when to when things begin, and end: the last times are among them. */
struct kept_span {
	uint64_t first_begin_ns;
	uint64_t last_begin_ns;
	uint64_t first_end_ns;
	uint64_t last_end_ns;
};

/* That of one. */
static inline struct kept_span kept_span_of(uint64_t begin_ns, uint64_t end_ns)
{
	return (struct kept_span){ begin_ns, begin_ns, end_ns, end_ns };
}

#define KEPT_SPAN_ALL ((struct kept_span){ 0, UINT64_MAX, 0, UINT64_MAX })

/* Some records that are kept, one behind the other in a chunk of their file, and
 * when they begin and end.
 */
struct kept_chunk {
	struct kept_span span; /* of records without times: KEPT_SPAN_ALL */
	uint32_t records;
	struct chunk chunk;
};

/* One without records. */
#define KEPT_CHUNK_EMPTY \
	((struct kept_chunk){ \
		.span = { .first_begin_ns = UINT64_MAX, \
			  .first_end_ns = UINT64_MAX }, \
	})

enum { KEPT_CHUNK_RECORDS = 1024 };

/* Counts a record in that begins and ends in @span. */
void kept_chunk_count(struct kept_chunk *chunk, const struct kept_span *span);

/* Returns whether a record of it may begin and end in @wanted. */
bool kept_chunk_is_wanted(const struct kept_chunk *chunk,
			  const struct kept_span *wanted);

/* Writes or reads it. */
void kept_chunk_pack(struct kept_chunk *chunk, struct pack *pack);

#endif
