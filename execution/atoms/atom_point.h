/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOM_POINT_H
#define KT_EXECUTION_ATOM_POINT_H

#include "execution/walk/atom_state.h"

#include <stdbool.h>
#include <stdint.h>

struct execution;

/* This is what following atoms hangs on right behind a synchronisation point,
 * where times are nanoseconds: beside the rest of an execution's state, and the
 * unit's settings, which each session says anew.
 */
struct atom_point {
	struct atom_state state; /* without what is of one execution alone;
				  * instructions since the last count */
	uint64_t told_ip;	 /* 0: nothing is told */
	uint8_t told_set;
	bool has_pid; /* the trace alone tells who runs: */
	int32_t pid;
};

/* Returns the state of who knows nothing. */
struct atom_state atom_point_first(void);

void atom_point_take(struct atom_point *point,
		     const struct execution *execution);

/* Makes @execution, of the same unit, go on from @point.  Its code is that
 * before @next_change_ns.  Returns 0 or -ERROR_MEMORY.
 */
int atom_point_put(const struct atom_point *point, struct execution *execution,
		   uint64_t next_change_ns);

bool atom_point_is_same(const struct atom_point *a, const struct atom_point *b);

#endif
