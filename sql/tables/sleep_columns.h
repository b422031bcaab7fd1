/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SLEEP_COLUMNS_H
#define KT_SQL_SLEEP_COLUMNS_H

struct attribution_input;
struct row_out;
struct sleep;
struct task_tracker;

/* Adds a row of the table "sleep" to @out. */
void sleep_columns_add(const struct attribution_input *input,
		       const struct task_tracker *tracker, struct row_out *out,
		       const struct sleep *sleep);

#endif
