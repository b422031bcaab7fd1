/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_TEXT_H
#define KT_CMD_TOP_TEXT_H

#include <stdio.h>

struct top_options;
struct top_result;

/* Writes two lines: the number of the round, and how much was traced, how much
 * was lost and the cost of top itself.
 */
void top_text_head(const struct top_options *options,
		   const struct top_result *result, FILE *out);

/* Writes a round as text: the head and all tables. */
void top_text_round(const struct top_options *options,
		    const struct top_result *result, FILE *out);

/* Writes a round as one line, a JSON object. Its tables are formatted as by
 * report --format=json; null if the round failed.
 */
void top_text_json(const struct top_result *result, FILE *out);

/* Returns the start of the last line of @said, "" if it is empty. */
const char *top_text_last(const char *said);

#endif
