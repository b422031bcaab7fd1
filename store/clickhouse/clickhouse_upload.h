/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_UPLOAD_H
#define KT_STORE_CLICKHOUSE_UPLOAD_H

#include "common/byte_buffer.h"
#include "sql/rows/row_chunk.h"
#include "store/clickhouse/batch_sender.h"
#include "store/clickhouse/native_block.h"
#include "store/clickhouse/packed_batch.h"
#include "store/entry/store_entry.h"

#include <stdbool.h>

struct clickhouse_http;
struct log;

/* An upload to a server.  Rows name the recording by a number of this upload
 * alone, which no reader knows before the recording's own row is there, last of
 * all: so they are all seen at once or never.  Functions return as
 * clickhouse_ask.h.
 */
struct clickhouse_upload {
	struct clickhouse_http *http; /* borrowed */
	const struct log *log;
	struct store_entry entry;
	struct native_block blocks[SQL_TABLES]; /* that rows come to */
	struct packed_batch batches[SQL_TABLES];
	struct batch_sender sender;
	struct byte_buffer bytes; /* of a block, not packed yet */
};

/* Begins; sets the number of @entry.  *@is_there: so is the recording, and nothing
 * has begun.
 */
int clickhouse_upload_begin(struct clickhouse_upload *upload,
			    struct store_entry *entry, bool *is_there);
int clickhouse_upload_add(struct clickhouse_upload *upload,
			  const struct row_chunk *chunk);
int clickhouse_upload_finish(struct clickhouse_upload *upload,
			     const struct store_entry *entry,
			     const struct row_chunk *row);

/* Forgets what was not sent. */
void clickhouse_upload_close(struct clickhouse_upload *upload);

#endif
