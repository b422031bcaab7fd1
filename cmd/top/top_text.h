/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_TEXT_H
#define KT_CMD_TOP_TEXT_H

#include <stdio.h>

struct top_options;
struct top_result;

/* Two lines: which round this is, and what of it was traced, what was lost and
 * what top itself cost.
 */
void top_text_head(const struct top_options *options,
		   const struct top_result *result, FILE *out);

/* A round as text: the head and all tables. */
void top_text_round(const struct top_options *options,
		    const struct top_result *result, FILE *out);

/* A round as one line, a JSON object; its tables are as report --format=json
 * has them, null if the round failed.
 */
void top_text_json(const struct top_result *result, FILE *out);

/* Returns where the last line of @said begins, "" if there is none. */
const char *top_text_last(const char *said);

#endif
