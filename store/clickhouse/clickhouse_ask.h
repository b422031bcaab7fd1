/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_ASK_H
#define KT_STORE_CLICKHOUSE_ASK_H

#include <stdint.h>

struct answer;
struct clickhouse_http;
struct log;

/* Functions return as clickhouse_http_send(), or -ERROR_FORMAT if the server's
 * answer cannot be read, said to @log.
 */

/* Asks @query, a SELECT, and reads its rows into @answer, which is open. */
int clickhouse_ask(struct clickhouse_http *http, const struct log *log,
		   const char *query, struct answer *answer);

/* Asks for one number, which is 0 if there is no row; frees @query, a text of
 * sqlite3_mprintf().
 */
int clickhouse_ask_number(struct clickhouse_http *http, const struct log *log,
			  char *query, int64_t *number);

/* Runs a statement that has no rows; frees @statement likewise. */
int clickhouse_do(struct clickhouse_http *http, char *statement);

#endif
