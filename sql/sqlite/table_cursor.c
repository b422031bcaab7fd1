/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/table_cursor_internal.h"

#include "common/error.h"
#include "sql/scan/table_scan.h"

/* Limits the memory of a store to 300 MB: a chunk takes 150 KB. */
enum { MOST_CHUNKS = 2000 };

static void keep(struct row_chunk ***end, struct row_chunk *chunk)
{
	**end = chunk;
	chunk->next = NULL;
	*end = &chunk->next;
}

static void row_store_free(struct row_store *store)
{
	while (store->first) {
		struct row_chunk *next = store->first->next;

		row_chunk_free(store->first);
		store->first = next;
	}
}

/* Fills @store with all rows of table @id of @recording.
 *
 * Returns 0 or a negative enum error, with @store empty. If the rows exceed the
 * limit, returns 0 with @store empty and is_too_large set.
 */
static int row_store_fill(struct row_store *store,
			  const struct sql_recording *recording,
			  enum sql_table_id id)
{
	const struct row_choice all = ROW_CHOICE_ALL;
	struct table_scan *scan = table_scan_of(recording, id, &all);
	struct row_chunk **end = &store->first;
	struct row_chunk *chunk;
	int count = 0;
	int status;

	if (!scan)
		return -ERROR_MEMORY;
	while (count < MOST_CHUNKS && (chunk = table_scan_next(scan))) {
		keep(&end, chunk);
		count++;
	}
	status = count < MOST_CHUNKS ? table_scan_status(scan) : 0;
	table_scan_stop(scan);
	if (count < MOST_CHUNKS && !status)
		return 0;
	row_store_free(store);
	store->is_too_large = !status;
	return status;
}

/* Advances to the next row that @choice accepts. Returns false after the last.
 */
static bool row_store_next(const struct row_choice *choice,
			   struct row_place *place)
{
	while (place->chunk) {
		while (place->next < place->chunk->count)
			if (row_choice_wants(choice, place->chunk,
					     place->next++))
				return true;
		place->chunk = place->chunk->next;
		place->next = 0;
	}
	return false;
}

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

/* Returns whether rows may be loaded into memory. Rows of a window of sums
 * cannot be selected from the sums of the whole recording.
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
