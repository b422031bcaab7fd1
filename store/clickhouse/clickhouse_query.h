/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_QUERY_H
#define KT_STORE_CLICKHOUSE_QUERY_H

/* Returns @query with percentile(P, X), which ClickHouse lacks, replaced by
 * quantileExact(…)(X). The caller frees it with sqlite3_free(). Returns NULL
 * when out of memory. P is a decimal number. Quoted text is unchanged.
 */
char *clickhouse_query_of(const char *query);

#endif
