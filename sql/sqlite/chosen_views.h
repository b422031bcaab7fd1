/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SQLITE_CHOSEN_VIEWS_H
#define KT_SQL_SQLITE_CHOSEN_VIEWS_H

#include <stddef.h>
#include <stdint.h>

struct sqlite3;
struct time_window;

/* Restricts the tables of a recording in @db to a window and to CPUs: creates a
 * temporary view over each table that has such columns. SQLite resolves a name
 * to the view first; main.NAME is still the whole table.
 *
 * A view has the rows that overlap with @window, not cut, if they have a start
 * and an end (an unknown end counts as late); the rows in @window if they have
 * one time; and sums over @window. @cpus selects rows by CPU, all if @count is
 * 0; tables without a CPU keep all rows.
 *
 * Returns 0; or -1 and an error text in *@message, which the caller frees with
 * sqlite3_free().
 */
int chosen_views_create(struct sqlite3 *db, const struct time_window *window,
			const uint32_t *cpus, size_t count, char **message);

#endif
