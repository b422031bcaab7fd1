/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_upload_internal.h"

#include "common/error.h"
#include "common/log.h"
#include "sql/rows/sql_table.h"
#include "store/clickhouse/clickhouse_ddl.h"
#include "store/clickhouse/clickhouse_http_internal.h"
#include "store/target/store_target.h"

#include <endian.h>
#include <lz4.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* The size of a block, which servers unpack as a whole; their own blocks have
 * this size too.
 */
enum { BLOCK_BYTES = 1 << 20, CHECKSUM_BYTES = 16, METHOD_LZ4 = 0x82 };

struct __attribute__((packed)) block_head {
	uint8_t checksum[CHECKSUM_BYTES];
	uint8_t method;
	uint32_t packed_size; /* including this head, without the checksum */
	uint32_t size;
};

static int put_block(struct byte_buffer *packed, const uint8_t *bytes, int size)
{
	struct block_head head = { .method = METHOD_LZ4 };
	int most = LZ4_compressBound(size);
	uint8_t *to = byte_buffer_reserve(packed, sizeof(head) + (size_t)most);
	int packed_size;

	if (!to)
		return -ERROR_MEMORY;
	packed_size = LZ4_compress_default(
		(const char *)bytes, (char *)to + sizeof(head), size, most);
	head.size = htole32((uint32_t)size);
	head.packed_size =
		htole32((uint32_t)packed_size + sizeof(head) - CHECKSUM_BYTES);
	memcpy(to, &head, sizeof(head));
	packed->size += sizeof(head) + (size_t)packed_size;
	return 0;
}

int packed_batch_put(struct packed_batch *batch, const uint8_t *bytes,
		     size_t size)
{
	int error = 0;

	for (size_t at = 0; !error && at < size; at += BLOCK_BYTES)
		error = put_block(&batch->packed, bytes + at,
				  size - at < BLOCK_BYTES ? (int)(size - at) :
							    BLOCK_BYTES);
	batch->size += size;
	return error;
}

void packed_batch_clear(struct packed_batch *batch)
{
	batch->packed.size = 0;
	batch->size = 0;
	batch->rows = 0;
}

void packed_batch_free(struct packed_batch *batch)
{
	byte_buffer_free(&batch->packed);
	packed_batch_clear(batch);
}

static void *run(void *ctx)
{
	struct batch_sender *sender = ctx;
	const struct clickhouse_body body = { sender->batch.packed.bytes,
					      sender->batch.packed.size };
	char *statement = clickhouse_schema_insert(sender->table);

	sender->error = statement ?
				clickhouse_http_send(sender->http, statement,
						     &body, NULL) :
				-ERROR_MEMORY;
	sqlite3_free(statement);
	return NULL;
}

/* Waits until the server has answered the request that is being sent. Returns 0
 * or the error of that request.
 */
static int batch_sender_wait(struct batch_sender *sender)
{
	if (sender->is_sending)
		pthread_join(sender->thread, NULL);
	sender->is_sending = false;
	return sender->error;
}

/* Waits for the previous request and starts to send @batch, rows of table @id.
 * Replaces @batch by an empty one.
 *
 * Returns 0; or, if the previous request failed, an error of
 * clickhouse_http_send(), and sends nothing.
 */
static int batch_sender_send(struct batch_sender *sender, enum sql_table_id id,
			     struct packed_batch *batch)
{
	int error = batch_sender_wait(sender);
	struct packed_batch sent;

	if (error)
		return error;
	sent = sender->batch;
	sender->table = id;
	sender->batch = *batch;
	packed_batch_clear(&sent);
	*batch = sent;
	sender->is_sending =
		!pthread_create(&sender->thread, NULL, run, sender);
	if (!sender->is_sending)
		run(sender);
	return 0;
}

/* Waits and frees the sender's buffers. @sender can be used again. */
static void batch_sender_close(struct batch_sender *sender)
{
	batch_sender_wait(sender);
	packed_batch_free(&sender->batch);
	sender->error = 0;
}

/* Limits of one request. Each request becomes a part of a table, and servers
 * prefer few parts but accept at most max_insert_block_size rows. Two packed
 * requests fit the memory budget.
 */
enum { BATCH_ROWS = 1 << 20, BATCH_BYTES = 32 << 20 };

/* Rows in one block of a request. Servers parse the column types of each block
 * again: with blocks of a thousand rows, that takes a tenth of their time.
 */
enum { BLOCK_ROWS = 1 << 15 };

/* Chooses the entry's number, at random. It is positive because shards are
 * chosen by its remainder.
 */
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
	int error = clickhouse_select_number(
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

/* Checks that the uploaded rows still exist: another host may have removed a
 * very long upload as a leftover.
 */
static int check_still_there(const struct clickhouse_upload *upload)
{
	int64_t removed;
	int error = clickhouse_select_number(
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
