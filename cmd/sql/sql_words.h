/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_SQL_WORDS_H
#define KT_CMD_SQL_WORDS_H

/* Finds the words of a query that start with @text: keywords, tables, columns.
 *
 * Returns a list as libedit expects it: first their common prefix, then the
 * words, then NULL. The caller frees the list and its strings. Returns NULL if
 * there are none.
 */
char **sql_words_complete(const char *text);

#endif
