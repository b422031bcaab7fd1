/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_ROW_THRESHOLD_H
#define KT_STORE_ROW_THRESHOLD_H

#include "sql/rows/row_queue.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns whether rows of table @id are durations, so that short ones may be
 * left out. Gaps are never left out, because missing trace must be visible.
 */
bool row_threshold_applies(enum sql_table_id id);

/* Removes the rows shorter than @min_ns from @chunk. */
void row_threshold_apply(struct row_chunk *chunk, uint64_t min_ns);

#endif
