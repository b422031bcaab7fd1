/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SCAN_TABLE_SCAN_H
#define KT_SQL_SCAN_TABLE_SCAN_H

/* The pass that makes rows of SQL's tables, in a thread of its own.
 *
 *   scan's thread:   sql_recording.run() --> row sources --> row_out --> queue
 *                    cached records --> row sources ----------^             |
 *   caller's thread:                          table_scan_next() <---------+
 *
 * table_scan_start() starts the thread. The caller pulls chunks until NULL,
 * then queries the status; it may stop the scan at any time, which ends the
 * decoding.
 *
 * Invariants:
 * 1. A source runs once per scan, however many of its tables are wanted.
 * 2. A table is not decoded if its records are cached, and the cache is of this
 *    recording and undamaged. A cache is published only after a pass that was
 *    neither stopped nor ended early.
 * 3. A chunk belongs to the scan's thread until it is in the queue, then to
 *    the caller until it gives it back or frees it.
 *
 * The queue is bounded, so memory does not grow with the recording. Errors of
 * the scan's thread arrive as the status; nothing is logged here.
 */

#include "attribution/attribution_input.h"
#include "report/steps/call_step.h"
#include "sql/rows/row_out.h"
#include "sql/rows/row_queue.h"
#include "sql/rows/sql_table.h"

#include <stdbool.h>
#include <stdint.h>

struct task_stacks;

/* The part of a recording to decode. */
struct sql_run {
	struct time_window window; /* times are summed in it only */
	/* the callback's is_done() may be true from this time on, which ends
	 * the pass
	 */
	uint64_t done_ns;
};

/* An open recording for queries. */
struct sql_recording {
	/* input for the whole recording; all pointers are borrowed */
	struct attribution_input input;
	/* Decodes the recording and passes it to @callback. It is a function
	 * pointer because decoding belongs to the caller's layer. Several
	 * threads may run it at once.
	 *
	 * Returns 0 and *@stacks, which the caller frees with
	 * task_stacks_free(), or a negative enum error.
	 */
	int (*run)(const struct sql_recording *recording,
		   const struct sql_run *run, struct step_callback *callback,
		   struct task_stacks **stacks);
	/* Returns whether rows may be cached beside the recording, and sets
	 * *@key to the identity of their inputs.
	 */
	bool (*keeps_rows)(const struct sql_recording *recording,
			   uint64_t *key);
};

/* A pass over a recording, in a thread of its own, that makes the rows of one
 * or more tables.
 */
struct table_scan;

/* Starts to make the rows of the tables in @wanted (by table) that @choice
 * accepts. Borrows @recording.
 *
 * Returns NULL when out of memory or threads.
 */
struct table_scan *table_scan_start(const struct sql_recording *recording,
				    const bool wanted[SQL_TABLES],
				    const struct row_choice *choice);

/* Like table_scan_start(), for one table. */
struct table_scan *table_scan_of(const struct sql_recording *recording,
				 enum sql_table_id id,
				 const struct row_choice *choice);

/* Waits for the next rows and returns them; NULL at the end. The caller owns
 * the chunk until it gives it back or frees it (row_chunk_free()).
 */
struct row_chunk *table_scan_next(struct table_scan *scan);
void table_scan_give_back(struct table_scan *scan, struct row_chunk *chunk);

/* Returns 0, or a negative enum error if rows are missing. Must be called after
 * table_scan_next() returned NULL.
 */
int table_scan_status(const struct table_scan *scan);

/* Ends the scan, whether or not all rows were read, waits for its thread and
 * frees it. NULL is allowed.
 */
void table_scan_stop(struct table_scan *scan);

/* Returns whether @recording supports table @id: some tables need times. */
bool table_scan_can(const struct sql_recording *recording,
		    enum sql_table_id id);

#endif
