/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SLICE_WORKS_H
#define KT_TABLES_SLICE_WORKS_H

#include <stdbool.h>
#include <stdint.h>

struct interrupt_charge;
struct path_sums;
struct path_work;

/* What slices of interrupt work did on each call path, until it is known for whom
 * they were.
 */
struct slice_works;

struct slice_works *slice_works_new(void); /* NULL: out of memory */
void slice_works_free(struct slice_works *works);

/* Adds @more to what slice @serial did.  Returns false when out of memory. */
bool slice_works_add(struct slice_works *works, uint64_t serial,
		     const struct path_work *more);

/* Moves to @sums what process @pid has of a slice, which has ended, by @charge: as
 * much of its paths as of its time, to the nanosecond.  Who has the last part has
 * what is left.  Returns false when out of memory.
 */
bool slice_works_charge(struct slice_works *works, struct path_sums *sums,
			int32_t pid, const struct interrupt_charge *charge);

/* Moves what nobody was charged with, as nobody's.  Returns as
 * slice_works_charge().
 */
bool slice_works_end(struct slice_works *works, struct path_sums *sums);

#endif
