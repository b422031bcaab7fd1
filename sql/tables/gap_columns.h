/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_GAP_COLUMNS_H
#define KT_SQL_GAP_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

struct call_step;
struct row_out;

/* An open gap in a CPU's trace. */
struct open_gap {
	bool is_open;
	uint8_t reason; /* enum flow_gap_reason */
	uint32_t cpu;
	int32_t pid;
	int32_t tid;
	uint64_t begin_ns;
	uint64_t lost_bytes;
	uint64_t offset; /* in the trace stream */
};

/* Returns the gap that a STEP_GAP starts. */
struct open_gap gap_of_step(const struct call_step *step);

/* Adds a row of the table "gap" to @out. */
void gap_columns_add(struct row_out *out, const struct open_gap *gap,
		     uint64_t end_ns);

#endif
