/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/batch_sender.h"

#include "common/error.h"
#include "store/clickhouse/clickhouse_http.h"
#include "store/clickhouse/clickhouse_schema.h"

#include <sqlite3.h>

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

int batch_sender_send(struct batch_sender *sender, enum sql_table_id id,
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

int batch_sender_wait(struct batch_sender *sender)
{
	if (sender->is_sending)
		pthread_join(sender->thread, NULL);
	sender->is_sending = false;
	return sender->error;
}

void batch_sender_close(struct batch_sender *sender)
{
	batch_sender_wait(sender);
	packed_batch_free(&sender->batch);
	sender->error = 0;
}
