/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_TABLE_ROWS_H
#define KT_TABLES_TABLE_ROWS_H

/* The part of writing rows that the tables of report share: unknown values,
 * the names of tasks and groups, the order, the limit of rows.
 *
 * A table fills in one row at a time (record_fields); table_rows_render() calls
 * it for each row, in the order of --sort, and writes text, CSV or JSON.
 *
 * 1. All formats have the same columns and the same order of rows.
 * 2. An unknown value is never 0: text leaves its column out, CSV and JSON have
 *    it empty.
 */

#include "report/text/record_writer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct attribution_input;
struct attribution_output;
struct task;

/* The output of a table's rows. */
struct table_rows {
	struct record_writer *writer;
	bool is_text;
};

/* Writes a number that may be unknown: text then leaves the column out, CSV and
 * JSON leave it empty.
 */
void table_rows_known(const struct table_rows *rows, bool is_known,
		      const char *name, uint64_t value);

/* Returns whether the options select an event that @task started at @begin_ns.
 */
bool table_wants(const struct attribution_input *input, const struct task *task,
		 uint64_t begin_ns);

/* Returns whether the options would select it if the recorder's own tasks were
 * not left out (struct step_filter).
 */
bool table_leaves_out(const struct attribution_input *input,
		      const struct task *task, uint64_t begin_ns);

/* Writes the name of @group, by input->groups, to column @name. Returns false
 * without groups: the row is a task's.
 */
bool table_rows_group(struct record_writer *writer,
		      const struct attribution_input *input, const char *name,
		      int32_t group);

/* Writes the process of a row: "group" like table_rows_group(), or else "pid"
 * and "comm", its last name.
 */
void table_rows_process(struct record_writer *writer,
			const struct attribution_input *input, int32_t pid);

/* Finds the order that @output requests for the @count rows of a table.
 *
 * Returns 0 and *@order (indices of rows), which the caller frees;
 * -ERROR_NOT_FOUND if no column is called output->sort; -ERROR_MEMORY.
 */
int table_rows_order(const struct attribution_output *output,
		     record_fields *fields, const void *ctx, uint64_t count,
		     uint64_t **order);

/* Writes the @count rows of a table with the format, order and maximum number
 * of rows of @output.
 *
 * Returns 0, -ERROR_NOT_FOUND if no column is called output->sort, or
 * -ERROR_MEMORY.
 */
int table_rows_render(const struct attribution_output *output,
		      record_fields *fields, const void *ctx, uint64_t count);

#endif
