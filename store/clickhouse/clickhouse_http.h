/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_HTTP_H
#define KT_STORE_CLICKHOUSE_HTTP_H

#include <stddef.h>
#include <stdint.h>

struct log;

/* A server, by its HTTP interface. */
struct clickhouse_http;

/* Reads "clickhouse://USER:PASSWORD@HOST:PORT/DATABASE", or "clickhouses://…" for
 * HTTPS.  USER is by default "default", the password that in
 * CLICKHOUSE_PASSWORD or none, PORT 8123 (8443), DATABASE "default"; %20 and the
 * like stand for other characters.  Nothing is sent yet.
 *
 * Returns NULL, having said why to @log, which must outlive it.
 */
struct clickhouse_http *clickhouse_http_new(const char *url,
					    const struct log *log);
void clickhouse_http_free(struct clickhouse_http *http);

/* Returns the address without the password, for messages. */
const char *clickhouse_http_name(const struct clickhouse_http *http);
const char *clickhouse_http_database(const struct clickhouse_http *http);

/* Sends @query, and @body (of a packed_batch) behind it, which may be NULL.
 *
 * Returns 0 and *@answer, to be freed, a text unless it is NULL; or -ERROR_SYSTEM
 * (no server, no answer in time), -ERROR_UNSUPPORTED (the server refuses),
 * -ERROR_MEMORY (also: the answer is larger than budget.h allows), said to the log.
 */
struct clickhouse_body {
	const uint8_t *bytes;
	size_t size;
};
int clickhouse_http_send(struct clickhouse_http *http, const char *query,
			 const struct clickhouse_body *body, char **answer);

#endif
