/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_BATCH_SENDER_H
#define KT_STORE_BATCH_SENDER_H

#include "sql/rows/sql_table.h"
#include "store/clickhouse/packed_batch.h"

#include <pthread.h>
#include <stdbool.h>

struct clickhouse_http;

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
	struct packed_batch batch; /* being sent, or its remaining buffer */
	pthread_t thread;
	bool is_sending;
	int error; /* of the last request */
};

/* Waits for the previous request and starts to send @batch, rows of table @id.
 * Replaces @batch by an empty one.
 *
 * Returns 0; or, if the previous request failed, an error of
 * clickhouse_http_send(), and sends nothing.
 */
int batch_sender_send(struct batch_sender *sender, enum sql_table_id id,
		      struct packed_batch *batch);

/* Waits until all rows have arrived. Returns like batch_sender_send(). */
int batch_sender_wait(struct batch_sender *sender);

/* Waits and frees the sender's buffers. @sender can be used again. */
void batch_sender_close(struct batch_sender *sender);

#endif
