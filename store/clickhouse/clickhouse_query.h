/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_QUERY_H
#define KT_STORE_CLICKHOUSE_QUERY_H

/* Returns @query with percentile(P, X), which ClickHouse lacks, as its
 * quantileExact(…)(X); to be freed by sqlite3_free(); NULL when out of memory.  P is
 * a decimal number.  What is in quotes stays as it is.
 */
char *clickhouse_query_of(const char *query);

#endif
