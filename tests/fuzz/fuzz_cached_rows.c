/* SPDX-License-Identifier: MIT */
#include "common/bytes.h"
#include "common/files/cache_file.h"
#include "sql/cached/cached_rows.h"
#include "sql/rows/row_queue.h"
#include "sql/tables/sql_tables.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>

/* The queue's reader is gone: rows are put together and dropped. */
static void read_rows(const uint8_t *bytes, size_t size, uint8_t number)
{
	const struct row_choice all = ROW_CHOICE_ALL;
	struct row_out out = {
		.table = sql_table_at((enum sql_table_id)(number % SQL_TABLES)),
		.queue = row_queue_new(),
		.choice = &all,
	};

	if (!out.queue)
		return;
	row_queue_stop(out.queue);
	if (cached_rows_read(bytes, size, number, out.table, NULL))
		assert(cached_rows_read(bytes, size, number, out.table, &out));
	row_chunk_free(out.chunk);
	row_queue_free(out.queue);
}

/* A chunk of cached rows, or of their list, after the table and the number of
 * rows.
 */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct cached_span all = CACHED_SPAN_ALL;
	struct cached_chunk chunk;
	struct pack pack;

	if (!size)
		return 0;
	read_rows(bytes + 1, size - 1, bytes[0]);
	pack = pack_to_read(bytes, size);
	while (!pack.failed && byte_reader_left(&pack.reader)) {
		cached_chunk_pack(&chunk, &pack);
		assert(pack.failed || chunk.records <= CACHE_CHUNK_RECORDS);
		cached_chunk_is_wanted(&chunk, &all);
	}
	return 0;
}
