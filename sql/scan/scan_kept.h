/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SCAN_KEPT_H
#define KT_SQL_SCAN_KEPT_H

#include "sql/rows/row_out.h"

#include <stdbool.h>
#include <stdint.h>

struct kept_writer;
struct sql_recording;

/* The tables of a scan whose rows are cached beside the recording (is_kept in
 * sql_table.h). Cached rows are read; otherwise they are written if the scan
 * makes all rows.
 */
struct scan_kept {
	uint64_t key;
	struct kept_writer *writers[SQL_TABLES]; /* or NULL */
};

/* Emits the rows of cached tables and sets their entries in @wanted to NULL.
 * Starts to cache the rows of the other tables.
 *
 * Returns 0 or -ERROR_MEMORY. Call scan_kept_close() in both cases.
 */
int scan_kept_open(struct scan_kept *kept,
		   const struct sql_recording *recording,
		   struct row_out *wanted[SQL_TABLES]);

/* Publishes the caches after all rows were made. */
void scan_kept_finish(struct scan_kept *kept);
void scan_kept_close(struct scan_kept *kept);

#endif
