/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/table_cursor.h"

#include "common/error.h"
#include "sql/scan/table_scan.h"

static void stop(struct table_cursor *cursor)
{
	row_chunk_free(cursor->chunk);
	cursor->chunk = NULL;
	table_scan_stop(cursor->scan);
	cursor->scan = NULL;
}

static int next_chunk(struct table_cursor *cursor)
{
	if (cursor->chunk)
		table_scan_give_back(cursor->scan, cursor->chunk);
	cursor->chunk = table_scan_next(cursor->scan);
	cursor->place = (struct row_place){ .chunk = cursor->chunk };
	if (cursor->chunk)
		return 0;
	cursor->is_at_end = true;
	return table_scan_status(cursor->scan);
}

int table_cursor_next(struct table_cursor *cursor)
{
	int status = 0;

	if (!cursor->scan) {
		cursor->is_at_end =
			!row_store_next(&cursor->choice, &cursor->place);
		return 0;
	}
	while (!cursor->is_at_end && !status &&
	       (!cursor->chunk || cursor->place.next >= cursor->chunk->count))
		status = next_chunk(cursor);
	cursor->place.next++;
	return status;
}

static int start(struct table_cursor *cursor)
{
	cursor->scan =
		table_scan_of(cursor->recording, cursor->id, &cursor->choice);
	return cursor->scan ? 0 : -ERROR_MEMORY;
}

/* Rows of a window of sums cannot be selected from the sums of the whole
 * recording.
 */
static bool can_keep(const struct table_cursor *cursor)
{
	const struct time_window *sums = &cursor->choice.sums;

	return cursor->asked > 1 && !cursor->store.is_too_large &&
	       !sums->since_ns && sums->until_ns == UINT64_MAX;
}

int table_cursor_ask(struct table_cursor *cursor,
		     const struct row_choice *choice)
{
	int status = 0;

	stop(cursor);
	cursor->choice = *choice;
	cursor->is_at_end = false;
	cursor->asked++;
	if (can_keep(cursor) && !cursor->store.first)
		status = row_store_fill(&cursor->store, cursor->recording,
					cursor->id);
	if (!status && !can_keep(cursor))
		status = start(cursor);
	cursor->place = (struct row_place){ .chunk = cursor->store.first };
	return status ? status : table_cursor_next(cursor);
}

void table_cursor_close(struct table_cursor *cursor)
{
	stop(cursor);
	row_store_free(&cursor->store);
}
