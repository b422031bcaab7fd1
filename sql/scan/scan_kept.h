/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SCAN_KEPT_H
#define KT_SQL_SCAN_KEPT_H

#include "sql/rows/row_out.h"

#include <stdbool.h>
#include <stdint.h>

struct kept_writer;
struct sql_recording;

/* The tables of a scan whose rows are kept beside the recording (is_kept in
 * sql_table.h): read if they are there, and written if the scan makes all of them.
 */
struct scan_kept {
	uint64_t key;
	struct kept_writer *writers[SQL_TABLES]; /* or NULL */
};

/* Sends the rows that are there: the tables' outs in @wanted are then NULL.  Of the
 * others it begins to keep what they get.
 *
 * Returns 0 or -ERROR_MEMORY.  Close it either way.
 */
int scan_kept_open(struct scan_kept *kept,
		   const struct sql_recording *recording,
		   struct row_out *wanted[SQL_TABLES]);

/* All rows were made: others find them from now on. */
void scan_kept_finish(struct scan_kept *kept);
void scan_kept_close(struct scan_kept *kept);

#endif
