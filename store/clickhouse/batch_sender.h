/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_BATCH_SENDER_H
#define KT_STORE_BATCH_SENDER_H

#include "sql/rows/sql_table.h"
#include "store/clickhouse/packed_batch.h"

#include <pthread.h>
#include <stdbool.h>

struct clickhouse_http;

/* Sends rows, one request at a time, while the caller puts the next ones together:
 * a server takes about as long for rows as it takes to make them.
 *
 * Between batch_sender_send() and batch_sender_wait() the connection is the
 * sender's alone.
 */
struct batch_sender {
	struct clickhouse_http *http; /* borrowed */
	enum sql_table_id table;
	struct packed_batch batch; /* on its way, or what is left of it */
	pthread_t thread;
	bool is_sending;
	int error; /* of the last one */
};

/* Begins to send the rows of @batch, of table @id, once those before have arrived;
 * @batch is then another one, empty.
 *
 * Returns 0; or, as clickhouse_http_send(), that those before have not arrived, and
 * nothing is sent.
 */
int batch_sender_send(struct batch_sender *sender, enum sql_table_id id,
		      struct packed_batch *batch);

/* Waits until all has arrived.  Returns as above. */
int batch_sender_wait(struct batch_sender *sender);

/* Waits, and frees what it holds; @sender can go on. */
void batch_sender_close(struct batch_sender *sender);

#endif
