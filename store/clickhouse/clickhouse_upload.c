/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_upload.h"

#include "common/error.h"
#include "common/log.h"
#include "store/clickhouse/clickhouse_ask.h"
#include "store/clickhouse/clickhouse_http.h"
#include "store/clickhouse/clickhouse_schema.h"
#include "store/clickhouse/native_block.h"
#include "store/target/store_target.h"

#include <sqlite3.h>

#include <inttypes.h>
#include <sys/random.h>
#include <unistd.h>

/* Of one request: each makes a part of a table, of which servers want few, and
 * none takes more rows at once (max_insert_block_size).  Packed, two of them are
 * what memory is for.
 */
enum { BATCH_ROWS = 1 << 20, BATCH_BYTES = 32 << 20 };

/* Positive, so that shards are chosen by its remainder. */
static int choose_number(struct store_entry *entry)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -ERROR_SYSTEM;
	entry->number = (int64_t)(number >> 2) + 1;
	return 0;
}

static int say_begin(const struct clickhouse_upload *upload)
{
	const struct store_entry *entry = &upload->entry;

	return clickhouse_do(
		upload->http,
		sqlite3_mprintf("INSERT INTO upload VALUES (%lld, 0, '%s', "
				"'%q', %d, %lld)",
				(long long)entry->number, entry->id,
				entry->added_on, (int)getpid(),
				(long long)entry->added_s));
}

int clickhouse_upload_begin(struct clickhouse_upload *upload,
			    struct store_entry *entry, bool *is_there)
{
	int64_t count;
	int error = clickhouse_ask_number(
		upload->http, upload->log,
		sqlite3_mprintf("SELECT count() FROM recording_all "
				"WHERE id = '%s'",
				entry->id),
		&count);

	*is_there = count > 0;
	if (error || *is_there)
		return error;
	error = choose_number(entry);
	upload->entry = *entry;
	return error ? error : say_begin(upload);
}

static bool is_full(const struct packed_batch *batch)
{
	return batch->rows >= BATCH_ROWS || batch->packed.size >= BATCH_BYTES;
}

/* Packs the @count rows that were put together, and sends them if they are enough.
 */
static int pack(struct clickhouse_upload *upload, enum sql_table_id id,
		uint32_t count)
{
	struct packed_batch *batch = &upload->batches[id];
	struct byte_buffer *rows = &upload->rows;
	int error = rows->failed ?
			    -ERROR_MEMORY :
			    packed_batch_put(batch, rows->bytes, rows->size);

	rows->size = 0;
	batch->rows += count;
	if (!error && is_full(batch))
		error = batch_sender_send(&upload->sender, id, batch);
	return error;
}

int clickhouse_upload_add(struct clickhouse_upload *upload,
			  const struct row_chunk *chunk)
{
	native_block_put(&upload->rows, chunk, &upload->entry);
	return pack(upload, chunk->id, chunk->count);
}

static int send_rest(struct clickhouse_upload *upload)
{
	int error = 0;

	for (int i = 0; !error && i < SQL_TABLES; i++)
		if (upload->batches[i].size)
			error = batch_sender_send(&upload->sender,
						  (enum sql_table_id)i,
						  &upload->batches[i]);
	return error ? error : batch_sender_wait(&upload->sender);
}

static int send_labels(struct clickhouse_upload *upload,
		       const struct store_entry *entry)
{
	const struct store_target quoting = {
		.class = &(struct store_target_class){ .has_backslashes = true }
	};
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendall(text, "INSERT INTO label VALUES ");
	for (size_t i = 0; i < entry->labels->count; i++) {
		const struct store_label *label = array_at(entry->labels, i);

		sqlite3_str_appendf(text, "%s('%s', %lld, ", i ? ", " : "",
				    entry->day, (long long)entry->number);
		store_target_quote(&quoting, text, label->name);
		sqlite3_str_appendall(text, ", ");
		store_target_quote(&quoting, text, label->value);
		sqlite3_str_appendall(text, ")");
	}
	if (entry->labels->count)
		return clickhouse_do(upload->http, sqlite3_str_finish(text));
	sqlite3_free(sqlite3_str_finish(text));
	return 0;
}

/* Somebody may have taken a very long upload for a left-over. */
static int check_still_there(const struct clickhouse_upload *upload)
{
	int64_t removed;
	int error = clickhouse_ask_number(
		upload->http, upload->log,
		sqlite3_mprintf("SELECT count() FROM upload WHERE state = 1 "
				"AND recording = %lld",
				(long long)upload->entry.number),
		&removed);

	if (error || !removed)
		return error;
	log_message(upload->log, LOG_ERROR, clickhouse_http_name(upload->http),
		    LOG_NO_OFFSET,
		    "the upload took more than a day, and another one has "
		    "removed its rows: add the recording again");
	return -ERROR_UNSUPPORTED;
}

int clickhouse_upload_finish(struct clickhouse_upload *upload,
			     const struct store_entry *entry,
			     const struct row_chunk *row)
{
	int error = send_rest(upload);

	if (!error)
		error = send_labels(upload, entry);
	if (!error)
		error = check_still_there(upload);
	if (error)
		return error;
	native_block_put_recording(&upload->rows, row, entry);
	error = pack(upload, TABLE_RECORDING, 1);
	return error ? error : send_rest(upload);
}

void clickhouse_upload_close(struct clickhouse_upload *upload)
{
	batch_sender_close(&upload->sender);
	for (int i = 0; i < SQL_TABLES; i++)
		packed_batch_free(&upload->batches[i]);
	byte_buffer_free(&upload->rows);
}
