/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include "common/error.h"
#include "common/log.h"
#include "decoder/recording/recording.h"
#include "sql/scan/table_scan.h"
#include "store/clickhouse/clickhouse_store.h"
#include "store/entry/store_entry.h"
#include "store/sqlite/sqlite_store.h"
#include "store/target/store_target.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct store_target *store_open(const char *name, enum store_open_mode mode,
				const struct log *log)
{
	if (clickhouse_store_is(name))
		return clickhouse_store_open(name, log);
	return sqlite_store_open(name,
				 mode == STORE_OPEN_READ ? SQLITE_STORE_READ :
							   SQLITE_STORE_WRITE,
				 log);
}

struct upload {
	struct store_target *target;
	const struct store_entry *entry;
	struct table_scan *scan;
	struct row_chunk *row; /* the recording's own row, which is sent last */
	uint64_t rows;
};

/* Deselects the tables that need times, if the recording has none. Always
 * selects the table of the recording itself.
 */
static void leave_out_impossible(struct store_entry *entry,
				 const struct sql_recording *recording)
{
	for (int i = 0; i < SQL_TABLES; i++)
		entry->wanted[i] =
			entry->wanted[i] &&
			table_scan_can(recording, (enum sql_table_id)i);
	entry->wanted[TABLE_RECORDING] = true;
}

static int describe(struct store_entry *entry,
		    const struct sql_recording *recording,
		    const struct log *log)
{
	const struct recording *data = recording->input.recording;
	struct stat stat_of_data;

	leave_out_impossible(entry, recording);
	if (stat(recording_data_path(data), &stat_of_data) < 0)
		stat_of_data.st_mtime = 0;
	store_entry_set_time(entry, stat_of_data.st_mtime);
	entry->added_s = time(NULL);
	if (gethostname(entry->added_on, sizeof(entry->added_on) - 1) < 0)
		entry->added_on[0] = '\0';
	return content_id_make(data, log, entry->id);
}

/* Replaces the path in the recording's row by the one that the user gave: an
 * archive is unpacked to a temporary path before it is opened.
 */
static void set_path(const struct row_chunk *row, const char *path)
{
	row_chunk_cells(row, 0)[store_path_column(row->table)].text = path;
}

static int consume(struct upload *upload, struct row_chunk *chunk)
{
	int error;

	if (chunk->table->id == TABLE_RECORDING) {
		row_chunk_free(upload->row);
		upload->row = chunk;
		set_path(chunk, upload->entry->path);
		return 0;
	}
	row_threshold_apply(chunk, upload->entry->min_duration_ns);
	upload->rows += chunk->count;
	error = chunk->count ?
			upload->target->class->add(upload->target, chunk) :
			0;
	table_scan_give_back(upload->scan, chunk);
	return error;
}

static int send_rows(struct upload *upload,
		     const struct sql_recording *recording,
		     const struct log *log)
{
	struct row_chunk *chunk;
	int error = 0;

	while (!error && (chunk = table_scan_next(upload->scan)))
		error = consume(upload, chunk);
	if (error)
		return error;
	error = table_scan_status(upload->scan);
	if (error || !upload->row)
		log_message(log, LOG_ERROR,
			    recording_path(recording->input.recording),
			    LOG_NO_OFFSET, "not decoded: %s",
			    error_text(error ? error : -ERROR_FORMAT));
	return error || upload->row ? error : -ERROR_FORMAT;
}

static int send_all(struct upload *upload,
		    const struct sql_recording *recording,
		    const struct log *log)
{
	const struct row_choice all = ROW_CHOICE_ALL;
	int error = -ERROR_MEMORY;

	upload->scan = table_scan_start(recording, upload->entry->wanted, &all);
	if (upload->scan)
		error = send_rows(upload, recording, log);
	else
		log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET, "%s",
			    error_text(error));
	if (!error)
		error = upload->target->class->finish(
			upload->target, upload->entry, upload->row);
	row_chunk_free(upload->row);
	table_scan_stop(upload->scan);
	upload->target->class->end(upload->target);
	return error;
}

int upload_recording(struct store_target *target,
		     const struct sql_recording *recording,
		     struct store_entry *entry, const struct log *log,
		     bool *is_there, uint64_t *rows)
{
	struct upload upload = { .target = target, .entry = entry };
	int error = describe(entry, recording, log);

	if (!error)
		error = target->class->begin(target, entry, is_there);
	if (!error && !*is_there)
		error = send_all(&upload, recording, log);
	*rows = upload.rows;
	return error;
}
