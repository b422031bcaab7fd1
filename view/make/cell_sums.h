/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_CELL_SUMS_H
#define KT_VIEW_CELL_SUMS_H

#include "common/array.h"

#include <stdint.h>

struct call_sum;

/* Threads' sums in the current cell of time, until call sums take them. A CPU
 * runs one thread for long, so sums are looked up by CPU and path, and saved
 * when the CPU switches to another thread.
 */
struct cell_sums {
	struct array cpus; /* struct cpu_sums */
	struct array done; /* struct call_cell_sums: saved */
};

/* Sums of the running thread of a CPU. */
struct cpu_sums {
	uint32_t thread;
	struct array sums; /* struct call_sum */
	/* uint32_t by path: the index of its sum, + 1; 0: none */
	struct array where;
};

void cell_sums_init(struct cell_sums *cell);
void cell_sums_free(struct cell_sums *cell);

/* Returns the sum of @path of @thread, which runs on @cpu, valid until the next
 * call; NULL when out of memory.
 */
struct call_sum *cell_sums_of(struct cell_sums *cell, uint32_t cpu,
			      uint32_t thread, uint32_t path);

/* Saves all CPUs' sums: @cell->done is then complete. Returns 0 or
 * -ERROR_MEMORY.
 */
int cell_sums_end(struct cell_sums *cell);

/* Empties @cell for the next cell. */
void cell_sums_clear(struct cell_sums *cell);

#endif
