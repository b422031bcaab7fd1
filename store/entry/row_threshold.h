/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_ROW_THRESHOLD_H
#define KT_STORE_ROW_THRESHOLD_H

#include "sql/rows/row_chunk.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns whether rows of table @id last from one time to another, and may be
 * left out for being short.  Gaps may not: what a trace does not show is said.
 */
bool row_threshold_applies(enum sql_table_id id);

/* Takes those rows from @chunk that took less than @min_ns. */
void row_threshold_apply(struct row_chunk *chunk, uint64_t min_ns);

#endif
