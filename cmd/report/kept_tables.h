/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_KEPT_TABLES_H
#define KT_CMD_KEPT_TABLES_H

#include "cmd/report/attribution_command.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attribution_input;
struct kept_file_writer;
struct session;
struct table_run;
struct task_stacks;

/* Where the records of tables are kept beside a recording
 * (tables/table_records.h).
 */
struct kept_tables {
	const struct session *session;
	bool can_be; /* some may be kept */
	uint64_t key;
	struct kept_file_writer *writers[1 + MOST_TABLES]; /* by run; or NULL */
};

/* Borrows @session. */
struct kept_tables kept_tables_of(const struct session *session);

/* Returns whether a window is wanted that can be made of records that are there,
 * those of all @count tables of @runs.
 */
bool kept_tables_are_there(const struct kept_tables *kept,
			   const struct attribution_input *input,
			   const struct table_run *runs, size_t count);

/* Fills the tables, which are open, from these; the trace is decoded in the window
 * alone, for *@stacks.
 *
 * Returns 0, -ERROR_FORMAT where they do not do after all: the tables are then of no
 * use; or another negative enum error.
 */
int kept_tables_read(const struct kept_tables *kept,
		     const struct table_run *runs, size_t count,
		     struct task_stacks **stacks);

/* Begins to keep the records of the tables that have some and are not kept. */
void kept_tables_keep(struct kept_tables *kept,
		      const struct attribution_input *input,
		      const struct table_run *runs, size_t count);

/* All has passed: others find them from now on. */
void kept_tables_finish(struct kept_tables *kept, const struct table_run *runs,
			size_t count);
void kept_tables_close(struct kept_tables *kept);

#endif
