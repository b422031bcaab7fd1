/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_TABLE_SCAN_H
#define KT_SQL_TABLE_SCAN_H

#include "sql/rows/row_choice.h"
#include "sql/rows/row_chunk.h"

#include <stdbool.h>

struct sql_recording;

/* One pass over a recording, in a thread of its own, which makes the rows of
 * one table or several.
 */
struct table_scan;

/* Begins to make the rows of the tables that @wanted (by table) has, as far as
 * @choice wants them.  Borrows @recording.
 *
 * Returns NULL when out of memory or threads.
 */
struct table_scan *table_scan_start(const struct sql_recording *recording,
				    const bool wanted[SQL_TABLES],
				    const struct row_choice *choice);

/* The same for one table. */
struct table_scan *table_scan_of(const struct sql_recording *recording,
				 enum sql_table_id id,
				 const struct row_choice *choice);

/* Returns the next rows, waiting for them, or NULL at the end.  Owner: the
 * caller, until it gives them back or frees them (row_chunk_free()).
 */
struct row_chunk *table_scan_next(struct table_scan *scan);
void table_scan_give_back(struct table_scan *scan, struct row_chunk *chunk);

/* Returns 0, or why rows are missing: a negative enum error.  Call it after
 * table_scan_next() returned NULL.
 */
int table_scan_status(const struct table_scan *scan);

/* Ends it, whether or not all rows were taken; NULL is allowed. */
void table_scan_stop(struct table_scan *scan);

/* Returns whether table @id can be made of @recording: some need times. */
bool table_scan_can(const struct sql_recording *recording,
		    enum sql_table_id id);

#endif
