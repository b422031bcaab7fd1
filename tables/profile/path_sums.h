/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_PATH_SUMS_H
#define KT_TABLES_PATH_SUMS_H

#include "attribution/interrupts/interrupt_accounts.h"
#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Adds @more to @entries, both by enum call_how. */
static inline void path_entries_add(uint64_t *entries, const uint64_t *more)
{
	for (int how = 0; how < CALL_HOWS; how++)
		entries[how] += more[how];
}

/* Returns the time of all @works (struct path_work). */
uint64_t path_works_ns(const struct array *works);

/* Moves @ns of the time of @works, and the share @part (up to 1) of their
 * entries, to @taken, which is empty, in proportion from each path. Exactly @ns
 * is moved, which is at most path_works_ns(); the rest stays.
 *
 * Returns 0 or -ERROR_MEMORY: nothing is moved then.
 */
int path_works_take(struct array *works, uint64_t ns, double part,
		    struct array *taken);

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

/* Adds @works (struct path_work), which were for process @pid. Returns false
 * when out of memory.
 */
bool path_sums_add(struct path_sums *sums, int32_t pid,
		   enum interrupt_certainty certainty,
		   const struct array *works);

/* Adds work that is called by interrupt work but is none itself: the scheduler
 * at the exit of an interrupt, a fault, the tracer. Returns false when out of
 * memory.
 */
bool path_sums_add_own(struct path_sums *sums, int32_t pid,
		       const struct path_work *work);

/* Returns sum @index, in no particular order, or NULL after the last. */
const struct path_sum *path_sums_at(const struct path_sums *sums, size_t index);

#endif
