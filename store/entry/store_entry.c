/* SPDX-License-Identifier: MIT */
#include "store/entry/store_entry.h"

#include "common/error.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/recording.h"
#include "sql/tables/sql_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Compiles xxHash from its header, so that the program need not link with the
 * library.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(SQL_SCHEMA_VERSION == 8,
	       "a store's version changes with that of recordings");

const struct column store_entry_columns[ENTRY_COLUMNS] = {
	[ENTRY_RECORDING] = { "recording", COLUMN_INTEGER, NO_ROLE, "",
			      "number of the recording in other tables, valid "
			      "for this store only" },
	[ENTRY_DAY] = { "day", COLUMN_TEXT, NO_ROLE, "",
			"day of recorded_s in UTC, such as 2026-01-31" },
	[ENTRY_ID] = { "id", COLUMN_TEXT, NO_ROLE, "",
		       "hash of its content, the same in all stores" },
	[ENTRY_RECORDED] = { "recorded_s", COLUMN_INTEGER, NO_ROLE, "s",
			     "time at which its file was last written, since "
			     "1970" },
	[ENTRY_ADDED] = { "added_s", COLUMN_INTEGER, NO_ROLE, "s",
			  "time at which it was added, since 1970" },
	[ENTRY_ADDED_ON] = { "added_on", COLUMN_TEXT, NO_ROLE, "",
			     "host that added it, and that has its path" },
	[ENTRY_TABLES] = { "tables", COLUMN_TEXT, NO_ROLE, "",
			   "tables that were added, with commas around each "
			   "name" },
	[ENTRY_MIN_DURATION] = { "min_duration_ns", COLUMN_INTEGER, NO_ROLE,
				 "ns",
				 "shorter rows were not added; 0: all were" },
};

static void list_tables(const struct store_entry *entry,
			char tables[STORE_TABLES_TEXT])
{
	size_t length = 0;

	tables[0] = '\0';
	for (int i = 0; i < SQL_TABLES; i++)
		if (entry->wanted[i])
			length += (size_t)snprintf(
				tables + length, STORE_TABLES_TEXT - length,
				"%s%s,", length ? "" : ",",
				sql_table_at((enum sql_table_id)i)->name);
}

void store_entry_cells(const struct store_entry *entry,
		       char tables[STORE_TABLES_TEXT],
		       union sql_cell cells[ENTRY_COLUMNS])
{
	list_tables(entry, tables);
	cells[ENTRY_RECORDING].number = entry->number;
	cells[ENTRY_DAY].text = entry->day;
	cells[ENTRY_ID].text = entry->id;
	cells[ENTRY_RECORDED].number = entry->recorded_s;
	cells[ENTRY_ADDED].number = entry->added_s;
	cells[ENTRY_ADDED_ON].text = entry->added_on;
	cells[ENTRY_TABLES].text = tables;
	cells[ENTRY_MIN_DURATION].number = (int64_t)entry->min_duration_ns;
}

void store_entry_set_time(struct store_entry *entry, int64_t recorded_s)
{
	const time_t time = recorded_s;
	struct tm day;

	entry->recorded_s = recorded_s;
	if (!gmtime_r(&time, &day) || day.tm_year < 70 || day.tm_year > 199)
		day = (struct tm){ .tm_year = 70, .tm_mday = 1 };
	strftime(entry->day, sizeof(entry->day), "%Y-%m-%d", &day);
}

int store_path_column(const struct sql_table *table)
{
	for (uint32_t i = 0; i < table->column_count; i++)
		if (!strcmp(table->columns[i].name, "path"))
			return (int)i;
	return -1;
}

enum { PART_BYTES = 1 << 20 };

/* Hashes the final NUL too, so that the boundary between two texts counts. */
static void add_text(XXH3_state_t *state, const char *text)
{
	XXH3_128bits_update(state, text, strlen(text) + 1);
}

static void add_number(XXH3_state_t *state, uint64_t number)
{
	XXH3_128bits_update(state, &number, sizeof(number));
}

static void add_info(XXH3_state_t *state, const struct recording *recording)
{
	const struct recording_info *info = recording_info(recording);

	add_text(state, info->hostname);
	add_text(state, info->os_release);
	add_text(state, info->arch);
	add_text(state, info->command);
	add_number(state, info->first_time_ns);
	add_number(state, info->last_time_ns);
	add_number(state, recording_counts(recording)->records);
}

static int add_stream(XXH3_state_t *state, const struct aux_stream *stream,
		      const struct log *log)
{
	struct stream_bytes bytes;
	size_t released = 0;
	int error = stream_bytes_open(&bytes, stream, log);

	if (error)
		return error;
	add_number(state, (uint64_t)(int64_t)stream->cpu);
	add_number(state, bytes.size);
	for (size_t at = 0; at < bytes.size; at += PART_BYTES) {
		size_t size = bytes.size - at;

		XXH3_128bits_update(state, bytes.bytes + at,
				    size < PART_BYTES ? size : PART_BYTES);
		released = stream_bytes_release(&bytes, released, at);
	}
	stream_bytes_close(&bytes);
	return 0;
}

int content_id_make(const struct recording *recording, const struct log *log,
		    char id[STORE_ID_TEXT])
{
	XXH3_state_t *state = XXH3_createState();
	XXH128_hash_t hash;
	int error = 0;

	if (!state)
		return -ERROR_MEMORY;
	XXH3_128bits_reset(state);
	add_info(state, recording);
	for (size_t i = 0; !error && i < recording_stream_count(recording); i++)
		error = add_stream(state, recording_stream(recording, i), log);
	hash = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	snprintf(id, STORE_ID_TEXT, "%016" PRIx64 "%016" PRIx64,
		 (uint64_t)hash.high64, (uint64_t)hash.low64);
	return error;
}

bool row_threshold_applies(enum sql_table_id id)
{
	const struct sql_table *table = sql_table_at(id);

	return id != TABLE_GAP && sql_table_role(table, ROLE_BEGIN) >= 0 &&
	       sql_table_role(table, ROLE_END) >= 0;
}

static void move_row(struct row_chunk *chunk, uint32_t from, uint32_t to)
{
	if (from == to)
		return;
	memcpy(row_chunk_cells(chunk, to), row_chunk_cells(chunk, from),
	       chunk->table->column_count * sizeof(*chunk->cells));
	chunk->nulls[to] = chunk->nulls[from];
}

void row_threshold_apply(struct row_chunk *chunk, uint64_t min_ns)
{
	int begin = sql_table_role(chunk->table, ROLE_BEGIN);
	int end = sql_table_role(chunk->table, ROLE_END);
	uint32_t kept = 0;

	if (!min_ns || !row_threshold_applies(chunk->table->id))
		return;
	for (uint32_t i = 0; i < chunk->count; i++) {
		const union sql_cell *cells = row_chunk_cells(chunk, i);
		int64_t took_ns = cells[end].number - cells[begin].number;

		if (took_ns >= 0 && (uint64_t)took_ns >= min_ns)
			move_row(chunk, i, kept++);
	}
	chunk->count = kept;
}
