/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_KEPT_CHUNK_H
#define KT_SQL_KEPT_CHUNK_H

#include "common/chunk_file.h"
#include "sql/rows/row_choice.h"

#include <stdbool.h>
#include <stdint.h>

struct pack;

/* Some rows of a table that is kept, one behind the other in a chunk of its file,
 * and when they begin and end.
 */
struct kept_chunk {
	uint64_t first_begin_ns; /* of a table without begins or ends: any time */
	uint64_t last_begin_ns;
	uint64_t first_end_ns;
	uint64_t last_end_ns;
	uint32_t rows;
	struct chunk chunk;
};

/* One without rows. */
#define KEPT_CHUNK_EMPTY \
	((struct kept_chunk){ \
		.first_begin_ns = UINT64_MAX, \
		.first_end_ns = UINT64_MAX, \
	})

enum { KEPT_CHUNK_ROWS = 1024 };

/* Counts row @row of @rows in. */
void kept_chunk_count(struct kept_chunk *chunk, const struct row_chunk *rows,
		      uint32_t row);

/* Returns whether @choice may want a row of it. */
bool kept_chunk_is_wanted(const struct kept_chunk *chunk,
			  const struct row_choice *choice);

/* Writes or reads it. */
void kept_chunk_pack(struct kept_chunk *chunk, struct pack *pack);

#endif
