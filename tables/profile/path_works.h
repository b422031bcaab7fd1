/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_PATH_WORKS_H
#define KT_TABLES_PATH_WORKS_H

#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdint.h>

/* How many enum call_how there are. */
enum { CALL_HOWS = HOW_INFERRED + 1 };

/* Entries are counted in parts of one, so that their sums are the same in any
 * order.
 */
#define ENTRY_PARTS (UINT64_C(1) << 20)

/* This is what one slice of interrupt work, or one owner's part of it, did on
 * one call path, a node of a call tree (report/profile/call_tree.h).
 */
struct path_work {
	uint32_t path;
	uint64_t ns;
	uint64_t entries[CALL_HOWS]; /* times ENTRY_PARTS */
};

/* Returns the time of all @works (struct path_work). */
uint64_t path_works_ns(const struct array *works);

/* Moves @ns of the time of @works, and @part (up to 1) of their entries, to
 * @taken, which is empty: of each path in proportion.  What is taken is exactly
 * @ns, at most path_works_ns(), and the rest is left.
 *
 * Returns 0 or -ERROR_MEMORY: nothing is moved then.
 */
int path_works_take(struct array *works, uint64_t ns, double part,
		    struct array *taken);

#endif
