/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_CLICKHOUSE_UPLOAD_INTERNAL_H
#define KT_STORE_CLICKHOUSE_CLICKHOUSE_UPLOAD_INTERNAL_H

#include "common/bytes.h"
#include "sql/rows/row_queue.h"
#include "sql/rows/sql_table.h"
#include "store/clickhouse/native_block_internal.h"
#include "store/entry/store_entry.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clickhouse_http;
struct log;

/* Bytes for one request in ClickHouse's own compressed format, which all server
 * versions read if the request's address has decompress=1: LZ4 blocks, each
 * after a checksum, its method and its sizes
 * (src/Compression/ICompressionCodec.cpp, CompressedReadBufferBase.cpp).
 * Packing takes a seventh of gzip's time.
 *
 * The checksum is zero: no library has its hash, and the address makes servers
 * skip it (http_native_compression_disable_checksumming_on_decompress).
 *
 * A zeroed struct is an empty batch.
 */
struct packed_batch {
	struct byte_buffer packed;
	size_t size;   /* before packing */
	uint64_t rows; /* number of rows in the bytes, set by the user */
};

/* Appends bytes. Returns 0 or -ERROR_MEMORY. */
int packed_batch_put(struct packed_batch *batch, const uint8_t *bytes,
		     size_t size);

/* Empties the batch for the next request. */
void packed_batch_clear(struct packed_batch *batch);
void packed_batch_free(struct packed_batch *batch);

/* Sends rows in a thread, one request at a time, while the caller prepares the
 * next batch: a server needs about as long to accept rows as ktrace-hw needs to
 * make them.
 *
 * Between batch_sender_send() and batch_sender_wait() only the sender may use
 * the connection.
 */
struct batch_sender {
	struct clickhouse_http *http; /* borrowed */
	enum sql_table_id table;
	/* being sent; later only a buffer for reuse */
	struct packed_batch batch;
	pthread_t thread;
	bool is_sending;
	int error; /* of the last request */
};

/* An upload to a server. Its rows carry a recording number that belongs to this
 * upload only. Readers learn the number from the recording's own row, which is
 * sent last; so they see all rows or none. Functions return like
 * clickhouse_http_send().
 */
struct clickhouse_upload {
	struct clickhouse_http *http; /* borrowed */
	const struct log *log;
	struct store_entry entry;
	/* rows that have not been packed yet */
	struct native_block blocks[SQL_TABLES];
	struct packed_batch batches[SQL_TABLES];
	struct batch_sender sender;
	struct byte_buffer bytes; /* an unpacked block */
};

/* Starts the upload and sets the number of @entry. If the store already has the
 * recording, sets *@is_there and starts nothing.
 */
int clickhouse_upload_begin(struct clickhouse_upload *upload,
			    struct store_entry *entry, bool *is_there);
/* Implement add() and finish() of struct store_target_class. */
int clickhouse_upload_add(struct clickhouse_upload *upload,
			  const struct row_chunk *chunk);
int clickhouse_upload_finish(struct clickhouse_upload *upload,
			     const struct store_entry *entry,
			     const struct row_chunk *row);

/* Frees the upload and drops rows that were not sent. */
void clickhouse_upload_close(struct clickhouse_upload *upload);

#endif
