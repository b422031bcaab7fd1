/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_UPLOAD_H
#define KT_STORE_CLICKHOUSE_UPLOAD_H

#include "common/bytes.h"
#include "sql/rows/row_chunk.h"
#include "store/clickhouse/batch_sender.h"
#include "store/clickhouse/native_block.h"
#include "store/clickhouse/packed_batch.h"
#include "store/entry/store_entry.h"

#include <stdbool.h>

struct clickhouse_http;
struct log;

/* An upload to a server. Its rows carry a recording number that belongs to this
 * upload only. Readers learn the number from the recording's own row, which is
 * sent last; so they see all rows or none. Functions return like those of
 * clickhouse_ask.h.
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
int clickhouse_upload_add(struct clickhouse_upload *upload,
			  const struct row_chunk *chunk);
int clickhouse_upload_finish(struct clickhouse_upload *upload,
			     const struct store_entry *entry,
			     const struct row_chunk *row);

/* Frees the upload and drops rows that were not sent. */
void clickhouse_upload_close(struct clickhouse_upload *upload);

#endif
