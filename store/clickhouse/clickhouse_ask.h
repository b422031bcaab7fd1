/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_ASK_H
#define KT_STORE_CLICKHOUSE_ASK_H

#include <stdint.h>

struct answer;
struct clickhouse_http;
struct log;

/* All functions return like clickhouse_http_send(), or -ERROR_FORMAT, logged to
 * @log, if the server's answer is malformed.
 */

/* Runs @query, a SELECT, and reads its rows into @answer, which must be open.
 */
int clickhouse_ask(struct clickhouse_http *http, const struct log *log,
		   const char *query, struct answer *answer);

/* Runs a query for one number, which is 0 if the result has no row. Frees
 * @query, a text from sqlite3_mprintf().
 */
int clickhouse_ask_number(struct clickhouse_http *http, const struct log *log,
			  char *query, int64_t *number);

/* Runs a statement without result rows. Frees @statement, a text from
 * sqlite3_mprintf().
 */
int clickhouse_do(struct clickhouse_http *http, char *statement);

#endif
