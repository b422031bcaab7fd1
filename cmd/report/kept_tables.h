/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_KEPT_TABLES_H
#define KT_CMD_KEPT_TABLES_H

#include "cmd/report/attribution_command.h"
#include "common/kept_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attribution_input;
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
	bool are_damaged; /* those that are there */
	/* By run: those that are read, and those that are written, or NULL. */
	struct kept_file files[1 + MOST_TABLES];
	struct kept_file_writer *writers[1 + MOST_TABLES];
};

/* Borrows @session. */
struct kept_tables kept_tables_of(const struct session *session);

/* Opens the records of all @count tables of @runs, if a window is wanted that can be
 * made of them.  Returns whether they are there.
 */
bool kept_tables_find(struct kept_tables *kept,
		      const struct attribution_input *input,
		      const struct table_run *runs, size_t count);

/* Fills the tables, which are open, from what was found; the trace is decoded in the
 * window alone, for *@stacks.
 *
 * Returns 0, -ERROR_FORMAT where they do not do after all: the tables are then of no
 * use; or another negative enum error.
 */
int kept_tables_read(struct kept_tables *kept, const struct table_run *runs,
		     size_t count, struct task_stacks **stacks);

/* Begins to keep the records of the tables that have some and are not kept. */
void kept_tables_keep(struct kept_tables *kept,
		      const struct attribution_input *input,
		      const struct table_run *runs, size_t count);

/* All has passed: others find them from now on. */
void kept_tables_finish(struct kept_tables *kept, const struct table_run *runs,
			size_t count);
void kept_tables_close(struct kept_tables *kept);

#endif
