/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_CLICKHOUSE_QUERY_INTERNAL_H
#define KT_STORE_CLICKHOUSE_CLICKHOUSE_QUERY_INTERNAL_H

struct answer;

/* Parses TabSeparatedWithNamesAndTypes (ClickHouse's documentation, "Formats"):
 * a line of names, a line of types, then one line per row; \N is NULL, and \
 * starts an escape. @text must end with a NUL and is modified.
 *
 * Returns 0 after adding everything to @answer, which must be open and empty;
 * -ERROR_FORMAT if the text is malformed; or -ERROR_MEMORY.
 */
int tsv_answer_read(struct answer *answer, char *text);

/* Returns @query with percentile(P, X), which ClickHouse lacks, replaced by
 * quantileExact(…)(X). The caller frees it with sqlite3_free(). Returns NULL
 * when out of memory. P is a decimal number. Quoted text is unchanged.
 */
char *clickhouse_query_of(const char *query);

#endif
