/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_TSV_ANSWER_H
#define KT_STORE_TSV_ANSWER_H

struct answer;

/* Reads what a server sends as TabSeparatedWithNamesAndTypes (ClickHouse's
 * documentation, "Formats"): a line of names, one of types, then one a row; \N is
 * NULL, and \ begins an escape.  @text ends with a NUL and is written to.
 *
 * Returns 0 and adds all to @answer, which is open and empty; -ERROR_FORMAT if it
 * is no such text; -ERROR_MEMORY.
 */
int tsv_answer_read(struct answer *answer, char *text);

#endif
