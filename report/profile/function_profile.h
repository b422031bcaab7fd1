/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_FUNCTION_PROFILE_H
#define KT_REPORT_FUNCTION_PROFILE_H

#include "report/profile/call_tree.h"

#include <stddef.h>
#include <stdint.h>

/* This is what one function did, in one process or in all. */
struct function_row {
	uint32_t function;
	int32_t pid; /* or group; -1 for all */
	struct call_counts calls;
	uint64_t self_ns;
	uint64_t inferred_ns; /* of self_ns: that it is this process's is
			       * inferred */
	uint64_t total_ns;    /* with what it called; recursion counts once */
};

/* A flat profile: one row a function (and process). */
struct function_profile {
	struct function_row *rows;
	size_t row_count;
	uint32_t *row_of_node; /* by node of the tree; UINT32_MAX: none, as for
				* roots */
	uint64_t self_ns;      /* of all */
};

/* Adds up the nodes of @tree that are of a function.  @function_count is how many
 * functions there are.
 *
 * Returns 0 and @profile, to be freed by function_profile_free(), or
 * -ERROR_MEMORY.
 */
int function_profile_make(const struct call_tree *tree, uint32_t function_count,
			  struct function_profile *profile);
void function_profile_free(struct function_profile *profile);

/* Returns row numbers by falling self time, then calls, then function.
 *
 * Owner: the caller, to be freed.  NULL when out of memory.
 */
uint32_t *function_profile_by_self(const struct function_profile *profile);

/* The same by falling total time. */
uint32_t *function_profile_by_total(const struct function_profile *profile);

#endif
