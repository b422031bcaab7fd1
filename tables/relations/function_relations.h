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
	uint32_t function; /* FUNCTION_NONE: nobody was seen to call */
	bool is_interrupt; /* one broke into the other */
	struct call_counts calls;
	uint64_t self_ns; /* of the one that is called */
	uint64_t total_ns;
};

/* This is what `report --flat` and `--callgraph` say about some functions
 * together.
 */
struct function_relations {
	struct call_counts calls;
	uint64_t self_ns;
	uint64_t total_ns;
	struct array callers; /* struct function_relation, by total time */
	struct array callees;
};

/* Finds them in @tree; @function_count is how many functions there are.
 *
 * Returns 0 and @relations, to be freed; -ERROR_MEMORY.
 */
int function_relations_make(const struct call_tree *tree,
			    uint32_t function_count,
			    const struct function_choice *choice,
			    struct function_relations *relations);
void function_relations_free(struct function_relations *relations);

#endif
