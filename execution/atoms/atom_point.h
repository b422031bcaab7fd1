/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOM_POINT_H
#define KT_EXECUTION_ATOM_POINT_H

#include "execution/walk/execution.h"

#include <stdbool.h>
#include <stdint.h>

struct execution;

/* Decoder state saved right after a sync point, with times in nanoseconds: the
 * state of atoms only. The rest of an execution's state, and the unit's
 * settings, which each session repeats, are not included.
 */
struct atom_point {
	/* without the fields of a single execution; with the instructions since
	 * the last count
	 */
	struct atom_state state;
	uint64_t told_ip; /* 0: none */
	uint8_t told_set;
	bool has_pid; /* only the trace reports the running task: */
	int32_t pid;
};

/* Returns the initial state, with everything unknown. */
struct atom_state atom_point_first(void);

void atom_point_take(struct atom_point *point,
		     const struct execution *execution);

/* Makes @execution, of the same unit, continue from @point, with the code
 * before @next_change_ns. Returns 0 or -ERROR_MEMORY.
 */
int atom_point_put(const struct atom_point *point, struct execution *execution,
		   uint64_t next_change_ns);

bool atom_point_is_same(const struct atom_point *a, const struct atom_point *b);

#endif
