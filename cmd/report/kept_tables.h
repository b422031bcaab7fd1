/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_KEPT_TABLES_H
#define KT_CMD_KEPT_TABLES_H

#include "cmd/report/attribution_command.h"
#include "common/kept_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;
struct step_callback;
struct table_records;
struct table_run;
struct task_stacks;

/* One file of records that a table is made of (tables/table_records.h). */
struct kept_part {
	const struct table_run *run;
	const struct table_records *records;
	struct kept_file file;		 /* that is read */
	struct kept_file_writer *writer; /* of one that is written, or NULL */
};

enum { MOST_PARTS = 2 * (1 + MOST_TABLES) };

/* Those of all tables of a pass, beside the recording. */
struct kept_tables {
	const struct session *session;
	bool can_be;	  /* some may be kept */
	bool are_all;	  /* no table needs anything else */
	bool are_damaged; /* those that are there */
	uint64_t key;
	struct kept_part parts[MOST_PARTS];
	size_t count;
};

/* Returns those of the @count tables of @runs, whose inputs are set.  Borrows all. */
struct kept_tables kept_tables_of(const struct session *session,
				  const struct table_run *runs, size_t count);

/* Returns what checkpoints the tables' steps go on from in a window, or NULL if
 * they need none: see struct table_records.
 */
const char *kept_tables_checkpoints(const struct kept_tables *kept);

/* Opens them, if a window is wanted that can be made of them.  Returns whether they
 * are there.
 */
bool kept_tables_find(struct kept_tables *kept);

/* Fills the tables, which are open, from what was found; the trace is decoded in the
 * window alone, for *@stacks, and for @callback, which may be NULL.
 *
 * Returns 0, -ERROR_FORMAT where they do not do after all: the tables are then of no
 * use; or another negative enum error.
 */
int kept_tables_read(struct kept_tables *kept, struct step_callback *callback,
		     struct task_stacks **stacks);

/* Begins to keep those that are not there. */
void kept_tables_keep(struct kept_tables *kept);

/* All has passed: others find them from now on. */
void kept_tables_finish(struct kept_tables *kept);
void kept_tables_close(struct kept_tables *kept);

#endif
