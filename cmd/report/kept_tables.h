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

/* One cached file of records from which a table is made
 * (tables/table_records.h).
 */
struct kept_part {
	const struct table_run *run;
	const struct table_records *records;
	struct kept_file file;		 /* if it is read */
	struct kept_file_writer *writer; /* if it is written, else NULL */
};

enum { MOST_PARTS = 2 * (1 + MOST_TABLES) };

/* The cached records of all tables of a pass, stored beside the recording. */
struct kept_tables {
	const struct session *session;
	bool can_be;	  /* some can be cached */
	bool are_all;	  /* no table needs anything else */
	bool are_damaged; /* the cached files are invalid */
	uint64_t key;
	struct kept_part parts[MOST_PARTS];
	size_t count;
};

/* Returns the cached records of the @count tables of @runs, whose inputs must
 * be set. Borrows all arguments.
 */
struct kept_tables kept_tables_of(const struct session *session,
				  const struct table_run *runs, size_t count);

/* Returns the name of the checkpoints from which the tables' steps resume in a
 * window, or NULL if they need none: see struct table_records.
 */
const char *kept_tables_checkpoints(const struct kept_tables *kept);

/* Opens the cached records if the session's window can be made from them.
 * Returns whether all are available.
 */
bool kept_tables_find(struct kept_tables *kept);

/* Fills the tables, which must be open, from the cached records; decodes the
 * trace only in the window, for *@stacks and for @callback, which may be NULL.
 *
 * Returns 0; -ERROR_FORMAT if the cache turns out to be unusable: the tables
 * are then unusable, too; or another negative enum error.
 */
int kept_tables_read(struct kept_tables *kept, struct step_callback *callback,
		     struct task_stacks **stacks);

/* Starts to cache the records that are not cached yet. */
void kept_tables_keep(struct kept_tables *kept);

/* Makes the new cached records visible to later commands. Call it after the
 * whole pass.
 */
void kept_tables_finish(struct kept_tables *kept);
void kept_tables_close(struct kept_tables *kept);

#endif
