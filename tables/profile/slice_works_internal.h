/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_PROFILE_SLICE_WORKS_INTERNAL_H
#define KT_TABLES_PROFILE_SLICE_WORKS_INTERNAL_H

#include "attribution/interrupts/interrupt_accounts.h"
#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interrupt_charge;

/* Number of values of enum call_how. */
enum { CALL_HOWS = HOW_RESUMED + 1 };

/* Entries are counted in fixed point, so that their sums do not depend on the
 * order of additions.
 */
#define ENTRY_PARTS (UINT64_C(1) << 20)

/* The time and entries of one slice of interrupt work, or of one owner's share
 * of it, on one call path, a node of a call tree (report/profile/call_tree.h).
 */
struct path_work {
	uint32_t path;
	uint64_t ns;
	uint64_t entries[CALL_HOWS]; /* in units of 1 / ENTRY_PARTS */
};

/* Interrupt work by call path and by the process that it was for. */
struct path_sum {
	uint32_t path;
	int32_t pid; /* as in struct interrupt_row */
	uint64_t ns;
	uint64_t certain_ns[CERTAINTIES]; /* of interrupt work */
	/* in units of 1 / ENTRY_PARTS: each beneficiary of a slice has a share
	 */
	uint64_t entries[CALL_HOWS];
};

struct path_sums {
	struct keyed_array all; /* struct path_sum by path and pid */
};

#define PATH_SUMS_NONE \
	((struct path_sums){ KEYED_ARRAY_OF(struct path_sum, pid) })

void path_sums_free(struct path_sums *sums);

/* Adds work that is called by interrupt work but is none itself: the scheduler
 * at the exit of an interrupt, a fault, the tracer. Returns false when out of
 * memory.
 */
bool path_sums_add_own(struct path_sums *sums, int32_t pid,
		       const struct path_work *work);

/* Returns sum @index, in no particular order, or NULL after the last. */
const struct path_sum *path_sums_at(const struct path_sums *sums, size_t index);

/* The work of slices of interrupt work by call path, until the processes to
 * charge it to are known.
 */
struct slice_works;

struct slice_works *slice_works_new(void); /* NULL: out of memory */

void slice_works_free(struct slice_works *works);

/* Adds @more to the work of slice @serial. Returns false when out of memory. */
bool slice_works_add(struct slice_works *works, uint64_t serial,
		     const struct path_work *more);

/* Moves the share of a finished slice that @charge gives to process @pid to
 * @sums: that share of the entries and time of each path. The sum of the moved
 * times is exactly the time that is charged. The process charged last gets the
 * rest. Returns false when out of memory.
 */
bool slice_works_charge(struct slice_works *works, struct path_sums *sums,
			int32_t pid, const struct interrupt_charge *charge);

/* Moves all work that was not charged to @sums, as work for no process (pid
 * -1). Returns false when out of memory.
 */
bool slice_works_end(struct slice_works *works, struct path_sums *sums);

#endif
