/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_HTTP_H
#define KT_STORE_CLICKHOUSE_HTTP_H

#include <stddef.h>
#include <stdint.h>

struct log;

/* A connection to a server's HTTP interface. */
struct clickhouse_http;

/* Parses "clickhouse://USER:PASSWORD@HOST:PORT/DATABASE", or "clickhouses://…"
 * for HTTPS. Defaults: USER "default"; the password in CLICKHOUSE_PASSWORD, or
 * none; PORT 8123 (HTTPS: 8443); DATABASE "default". Characters may be
 * percent-encoded. Sends nothing.
 *
 * Returns NULL after logging the reason to @log, which must outlive the object.
 */
struct clickhouse_http *clickhouse_http_new(const char *url,
					    const struct log *log);
void clickhouse_http_free(struct clickhouse_http *http);

/* Returns the address without the password, for messages. */
const char *clickhouse_http_name(const struct clickhouse_http *http);
const char *clickhouse_http_database(const struct clickhouse_http *http);

/* Sends @query followed by @body (of a packed_batch), which may be NULL.
 *
 * Returns 0 and, unless @answer is NULL, a text in *@answer that the caller
 * frees; or -ERROR_SYSTEM (no server, or no answer in time), -ERROR_UNSUPPORTED
 * (the server refused), -ERROR_MEMORY (also if the answer exceeds the limit in
 * budget.h). Errors are logged.
 */
struct clickhouse_body {
	const uint8_t *bytes;
	size_t size;
};
int clickhouse_http_send(struct clickhouse_http *http, const char *query,
			 const struct clickhouse_body *body, char **answer);

#endif
