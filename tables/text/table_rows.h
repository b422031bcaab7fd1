/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_TABLE_ROWS_H
#define KT_TABLES_TABLE_ROWS_H

#include "report/text/record_writer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct attribution_input;
struct attribution_output;
struct task;

/* Where rows of a table go. */
struct table_rows {
	struct record_writer *writer;
	bool is_text;
};

/* Writes a number that the recording may not be able to tell: text leaves the
 * column out then, CSV and JSON leave it empty.
 */
void table_rows_known(const struct table_rows *rows, bool is_known,
		      const char *name, uint64_t value);

/* Returns whether the options ask for what @task began at @begin_ns. */
bool table_wants(const struct attribution_input *input, const struct task *task,
		 uint64_t begin_ns);

/* Returns whether they would but for the choice of tasks that leaves the program out
 * that recorded (struct step_filter).
 */
bool table_leaves_out(const struct attribution_input *input,
		      const struct task *task, uint64_t begin_ns);

/* Writes the name of @group, by input->groups, to column @name.  Returns false if
 * there are no groups: the row is a task's.
 */
bool table_rows_group(struct record_writer *writer,
		      const struct attribution_input *input, const char *name,
		      int32_t group);

/* Writes which process a row is of: "group" as above, or else "pid" and "comm", its
 * last name.
 */
void table_rows_process(struct record_writer *writer,
			const struct attribution_input *input, int32_t pid);

/* Finds the order that @output wants for the @count rows of a table.
 *
 * Returns 0 and *@order (by place: a row's index), which the caller frees;
 * -ERROR_NOT_FOUND if there is no column output->sort; -ERROR_MEMORY.
 */
int table_rows_order(const struct attribution_output *output,
		     record_fields *fields, const void *ctx, uint64_t count,
		     uint64_t **order);

/* Writes the @count rows of a table as @output wants: its format, its order,
 * its first rows only.
 *
 * Returns 0, -ERROR_NOT_FOUND if there is no column output->sort, or
 * -ERROR_MEMORY.
 */
int table_rows_render(const struct attribution_output *output,
		      record_fields *fields, const void *ctx, uint64_t count);

#endif
