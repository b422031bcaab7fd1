/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SLICE_WORKS_H
#define KT_TABLES_SLICE_WORKS_H

#include <stdbool.h>
#include <stdint.h>

struct interrupt_charge;
struct path_sums;
struct path_work;

/* The work of slices of interrupt work by call path, until the processes to
 * charge it to are known.
 */
struct slice_works;

struct slice_works *slice_works_new(void); /* NULL: out of memory */
void slice_works_free(struct slice_works *works);

/* Adds @more to the work of slice @serial. Returns false when out of memory. */
bool slice_works_add(struct slice_works *works, uint64_t serial,
		     const struct path_work *more);

/* Moves the share of process @pid in a finished slice, by @charge, to @sums:
 * the same share of its paths as of its time, exact to the nanosecond. The
 * process charged last gets the rest. Returns false when out of memory.
 */
bool slice_works_charge(struct slice_works *works, struct path_sums *sums,
			int32_t pid, const struct interrupt_charge *charge);

/* Moves work that was not charged to a process, as no process's. Returns false
 * when out of memory.
 */
bool slice_works_end(struct slice_works *works, struct path_sums *sums);

#endif
