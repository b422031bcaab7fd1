/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_CELL_SUMS_H
#define KT_VIEW_CELL_SUMS_H

#include "common/array.h"

#include <stdint.h>

struct call_sum;

/* What threads do in the cell of time that goes on, until call sums take it.
 * A CPU runs one thread for long, so sums are found by path and CPU; they are
 * put aside when the CPU turns to another thread.
 */
struct cell_sums {
	struct array cpus; /* struct cpu_sums */
	struct array done; /* struct call_cell_sums: put aside */
};

/* What the thread does that a CPU runs. */
struct cpu_sums {
	uint32_t thread;
	struct array sums;  /* struct call_sum */
	struct array where; /* uint32_t by path: the number of its sum, + 1;
			     * 0: it has none */
};

void cell_sums_init(struct cell_sums *cell);
void cell_sums_free(struct cell_sums *cell);

/* Returns the sum of @thread's @path that runs on @cpu, until the next call;
 * NULL when out of memory.
 */
struct call_sum *cell_sums_of(struct cell_sums *cell, uint32_t cpu,
			      uint32_t thread, uint32_t path);

/* Puts all aside: @cell->done has all that was done in the cell.  Returns 0 or
 * -ERROR_MEMORY.
 */
int cell_sums_end(struct cell_sums *cell);

/* Begins anew, with nothing done. */
void cell_sums_clear(struct cell_sums *cell);

#endif
