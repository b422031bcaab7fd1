/* SPDX-License-Identifier: MIT */
#include "sql/kept/kept_chunk.h"

#include "common/pack.h"

static void widen(uint64_t *first, uint64_t *last, uint64_t time_ns)
{
	if (*first > time_ns)
		*first = time_ns;
	if (*last < time_ns)
		*last = time_ns;
}

/* Counts in when the row begins or ends, as @role says. */
static void count_time(const struct row_chunk *rows, uint32_t row,
		       enum sql_role role, uint64_t *first, uint64_t *last)
{
	int column = sql_table_role(rows->table, role);

	if (column >= 0) {
		widen(first, last,
		      (uint64_t)row_chunk_cells(rows, row)[column].number);
		return;
	}
	*first = 0;
	*last = UINT64_MAX;
}

void kept_chunk_count(struct kept_chunk *chunk, const struct row_chunk *rows,
		      uint32_t row)
{
	count_time(rows, row, ROLE_BEGIN, &chunk->first_begin_ns,
		   &chunk->last_begin_ns);
	count_time(rows, row, ROLE_END, &chunk->first_end_ns,
		   &chunk->last_end_ns);
	chunk->rows++;
}

/* Returns whether a time from @first to @last may lie in @window. */
static bool reaches(struct time_window window, uint64_t first, uint64_t last)
{
	return last >= window.since_ns && first < window.until_ns;
}

bool kept_chunk_is_wanted(const struct kept_chunk *chunk,
			  const struct row_choice *choice)
{
	return !choice->is_limited ||
	       (reaches(choice->begin, chunk->first_begin_ns,
			chunk->last_begin_ns) &&
		reaches(choice->end, chunk->first_end_ns, chunk->last_end_ns));
}

void kept_chunk_pack(struct kept_chunk *chunk, struct pack *pack)
{
	pack_u64(pack, &chunk->first_begin_ns);
	pack_u64(pack, &chunk->last_begin_ns);
	pack_u64(pack, &chunk->first_end_ns);
	pack_u64(pack, &chunk->last_end_ns);
	pack_u32(pack, &chunk->rows);
	chunk_pack(&chunk->chunk, pack);
	pack_check(pack, chunk->rows <= KEPT_CHUNK_ROWS);
}
