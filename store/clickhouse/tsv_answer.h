/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_TSV_ANSWER_H
#define KT_STORE_TSV_ANSWER_H

struct answer;

/* Parses TabSeparatedWithNamesAndTypes (ClickHouse's documentation, "Formats"):
 * a line of names, a line of types, then one line per row; \N is NULL, and \
 * starts an escape. @text must end with a NUL and is modified.
 *
 * Returns 0 after adding everything to @answer, which must be open and empty;
 * -ERROR_FORMAT if the text is malformed; or -ERROR_MEMORY.
 */
int tsv_answer_read(struct answer *answer, char *text);

#endif
