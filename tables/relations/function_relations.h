/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_FUNCTION_RELATIONS_H
#define KT_TABLES_FUNCTION_RELATIONS_H

#include "common/array.h"
#include "report/profile/call_tree.h"

#include <stdbool.h>
#include <stdint.h>

struct function_choice;

/* A caller or callee. */
struct function_relation {
	uint32_t function; /* FUNCTION_NONE: caller unknown */
	bool is_interrupt; /* the callee interrupted the caller */
	struct call_counts calls;
	uint64_t self_ns; /* of the callee */
	uint64_t total_ns;
};

/* The figures of `report --flat` and `--callgraph` for several functions
 * together.
 */
struct function_relations {
	struct call_counts calls;
	uint64_t self_ns;
	uint64_t total_ns;
	struct array callers; /* struct function_relation, by total time */
	struct array callees;
};

/* Finds the relations of @choice in @tree. @function_count: number of
 * functions.
 *
 * Returns 0 and @relations, to be freed; -ERROR_MEMORY.
 */
int function_relations_make(const struct call_tree *tree,
			    uint32_t function_count,
			    const struct function_choice *choice,
			    struct function_relations *relations);
void function_relations_free(struct function_relations *relations);

#endif
