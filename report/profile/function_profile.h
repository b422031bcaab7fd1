/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_FUNCTION_PROFILE_H
#define KT_REPORT_FUNCTION_PROFILE_H

#include "report/profile/call_tree.h"

#include <stddef.h>
#include <stdint.h>

/* The time and calls of one function, in one process or in all. */
struct function_row {
	uint32_t function;
	int32_t pid; /* or group; -1 for all */
	struct call_counts calls;
	uint64_t self_ns;
	uint64_t inferred_ns; /* part of self_ns with an inferred process */
	uint64_t total_ns;    /* with its callees; recursion counts once */
};

/* A flat profile: one row per function (and process). */
struct function_profile {
	struct function_row *rows;
	size_t row_count;
	/* by node of the tree; UINT32_MAX: none, as for roots */
	uint32_t *row_of_node;
	uint64_t self_ns; /* sum over all rows */
};

/* Adds up the nodes of @tree by function. @function_count is the number of
 * functions.
 *
 * Returns 0 and @profile, which the caller frees with function_profile_free(),
 * or -ERROR_MEMORY.
 */
int function_profile_make(const struct call_tree *tree, uint32_t function_count,
			  struct function_profile *profile);
void function_profile_free(struct function_profile *profile);

/* Returns row numbers by falling self time, then calls, then function; NULL
 * when out of memory. The caller frees them.
 */
uint32_t *function_profile_by_self(const struct function_profile *profile);

/* Like function_profile_by_self(), by falling total time. */
uint32_t *function_profile_by_total(const struct function_profile *profile);

#endif
