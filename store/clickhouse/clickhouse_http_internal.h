/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_CLICKHOUSE_HTTP_INTERNAL_H
#define KT_STORE_CLICKHOUSE_CLICKHOUSE_HTTP_INTERNAL_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct answer;
struct log;

/* Returns whether @text starts with "clickhouse://" or "clickhouses://". */
bool clickhouse_url_is(const char *text);

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

/* The content of a struct packed_batch; borrowed. */
struct clickhouse_body {
	const uint8_t *bytes;
	size_t size;
};

/* Sends @query followed by @body, which may be NULL.
 *
 * Returns 0 and, unless @answer is NULL, a text in *@answer that the caller
 * frees; or -ERROR_SYSTEM (no server, or no answer in time), -ERROR_UNSUPPORTED
 * (the server refused), -ERROR_MEMORY (also if the answer exceeds
 * BUDGET_ANSWER_BYTES). Errors except lack of memory are logged.
 */
int clickhouse_http_send(struct clickhouse_http *http, const char *query,
			 const struct clickhouse_body *body, char **answer);

/* The functions below return like clickhouse_http_send(), or -ERROR_FORMAT,
 * logged to @log, if the server's answer is malformed.
 */

/* Runs @query, a SELECT, and reads its rows into @answer, which must be open.
 */
int clickhouse_select(struct clickhouse_http *http, const struct log *log,
		      const char *query, struct answer *answer);

/* Sets *@number to the first cell of the query's result; 0 if it has no row.
 * Frees @query, a text from sqlite3_mprintf().
 */
int clickhouse_select_number(struct clickhouse_http *http,
			     const struct log *log, char *query,
			     int64_t *number);

/* Runs a statement without result rows. Frees @statement, a text from
 * sqlite3_mprintf().
 */
int clickhouse_do(struct clickhouse_http *http, char *statement);

#endif
