/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_upload.h"

#include "common/error.h"
#include "common/log.h"
#include "store/clickhouse/clickhouse_ask.h"
#include "store/clickhouse/clickhouse_http.h"
#include "store/clickhouse/clickhouse_schema.h"
#include "store/target/store_target.h"

#include <sqlite3.h>

#include <inttypes.h>
#include <sys/random.h>
#include <unistd.h>

/* Limits of one request. Each request becomes a part of a table, and servers
 * prefer few parts but accept at most max_insert_block_size rows. Two packed
 * requests fit the memory budget.
 */
enum { BATCH_ROWS = 1 << 20, BATCH_BYTES = 32 << 20 };

/* Rows in one block of a request. Servers parse the column types of each block
 * anew, which takes a tenth of the time for blocks of a thousand rows.
 */
enum { BLOCK_ROWS = 1 << 15 };

/* The number is positive because shards are chosen by its remainder. */
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

/* Packs the collected bytes, @rows rows of table @id, and sends the batch if it
 * is large enough.
 */
static int pack(struct clickhouse_upload *upload, enum sql_table_id id,
		uint32_t rows)
{
	struct packed_batch *batch = &upload->batches[id];
	struct byte_buffer *bytes = &upload->bytes;
	int error = bytes->failed ?
			    -ERROR_MEMORY :
			    packed_batch_put(batch, bytes->bytes, bytes->size);

	bytes->size = 0;
	batch->rows += rows;
	if (!error && is_full(batch))
		error = batch_sender_send(&upload->sender, id, batch);
	return error;
}

static int end_block(struct clickhouse_upload *upload, enum sql_table_id id)
{
	struct native_block *block = &upload->blocks[id];
	uint32_t rows = block->rows;

	native_block_write(block, &upload->entry, &upload->bytes);
	return pack(upload, id, rows);
}

int clickhouse_upload_add(struct clickhouse_upload *upload,
			  const struct row_chunk *chunk)
{
	struct native_block *block = &upload->blocks[chunk->table->id];

	native_block_add(block, chunk);
	return block->rows < BLOCK_ROWS ? 0 :
					  end_block(upload, chunk->table->id);
}

static int send_rest(struct clickhouse_upload *upload)
{
	int error = 0;

	for (int i = 0; !error && i < SQL_TABLES; i++) {
		error = end_block(upload, (enum sql_table_id)i);
		if (!error && upload->batches[i].rows)
			error = batch_sender_send(&upload->sender,
						  (enum sql_table_id)i,
						  &upload->batches[i]);
	}
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

/* Another host may have removed a very long upload as a leftover. */
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
	native_block_add(&upload->blocks[TABLE_RECORDING], row);
	native_block_write_recording(&upload->blocks[TABLE_RECORDING], entry,
				     &upload->bytes);
	error = pack(upload, TABLE_RECORDING, 1);
	return error ? error : send_rest(upload);
}

static void close_table(struct clickhouse_upload *upload, int id)
{
	packed_batch_free(&upload->batches[id]);
	native_block_free(&upload->blocks[id]);
}

void clickhouse_upload_close(struct clickhouse_upload *upload)
{
	batch_sender_close(&upload->sender);
	for (int i = 0; i < SQL_TABLES; i++)
		close_table(upload, i);
	byte_buffer_free(&upload->bytes);
}
