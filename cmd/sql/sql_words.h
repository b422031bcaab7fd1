/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_SQL_WORDS_H
#define KT_CMD_SQL_WORDS_H

/* Finds the words of a query that begin with @text: keywords, tables, columns.
 *
 * Returns them behind what they have in common, ended by NULL, all to be freed,
 * as libedit wants it; NULL if there are none.
 */
char **sql_words_complete(const char *text);

#endif
