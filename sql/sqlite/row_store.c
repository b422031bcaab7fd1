/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/row_store.h"

#include "common/error.h"
#include "sql/scan/table_scan.h"

/* A chunk takes 150 KB. */
enum { MOST_CHUNKS = 2000 };

static void keep(struct row_chunk ***end, struct row_chunk *chunk)
{
	**end = chunk;
	chunk->next = NULL;
	*end = &chunk->next;
}

int row_store_fill(struct row_store *store,
		   const struct sql_recording *recording, enum sql_table_id id)
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
	store->is_too_large = true;
	return status;
}

void row_store_free(struct row_store *store)
{
	while (store->first) {
		struct row_chunk *next = store->first->next;

		row_chunk_free(store->first);
		store->first = next;
	}
}

bool row_store_next(const struct row_choice *choice, struct row_place *place)
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
