/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_RELATIONS_FUNCTION_REPORT_INTERNAL_H
#define KT_TABLES_RELATIONS_FUNCTION_REPORT_INTERNAL_H

#include "common/array.h"
#include "report/profile/call_tree.h"
#include "tables/relations/function_study_internal.h"

#include <stdbool.h>
#include <stdint.h>

struct attribution_output;
struct function_choice;
struct function_table;
struct task_names;

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

/* The parts of calls as a tree: each function with its callees. */
struct part_tree;

/* The figures of one node, divided by the number of calls of the studied
 * function.
 */
struct part_line {
	double calls;
	double self_ns;	   /* on a CPU in the function itself */
	double on_cpu_ns;  /* with callees */
	double off_cpu_ns; /* with callees */
};

/* Sums up @parts, divided by @calls, over the paths of @tree. Borrows @tree.
 * Returns NULL when out of memory.
 */
struct part_tree *part_tree_new(const struct call_tree *tree,
				const struct call_parts *parts, uint64_t calls);
void part_tree_free(struct part_tree *tree);

/* Returns the times of @node and all nodes below. */
struct part_line part_tree_line(const struct part_tree *tree, uint32_t node);

/* Called with the node and depth of each line. */
typedef int part_visit(void *ctx, uint32_t node, uint32_t depth);

/* Returns the weight of a node; nodes below the minimum weight are left out
 * with their subtree.
 */
typedef double part_weight(const void *ctx, uint32_t node);

/* Visits the nodes of @tree below its root whose @weight is at least @least,
 * callers before callees, siblings by falling weight.
 *
 * Returns 0, a negative value that @visit returned, or -ERROR_MEMORY.
 */
int part_tree_walk(const struct call_tree *tree, part_weight *weight,
		   double least, part_visit *visit, void *ctx);

/* The contents of `report --function`; all borrowed. */
struct function_report {
	const char *name; /* as given by the user */
	const struct function_table *functions;
	const struct task_names *names;
	const struct function_relations *relations;
	const struct function_study *study;
	const struct study_class *slow;	   /* the slowest tenth of calls */
	const struct study_class *typical; /* the calls of median length */
	const struct part_tree *slow_tree; /* parts of slow, per call */
	const struct part_tree *typical_tree;
	uint64_t origin_ns; /* as in struct attribution_input */
};

/* Returns the name of a time: "wall_ns", "on_cpu_ns", … */
const char *function_report_time_name(enum study_time time);

/* Returns the name of @relation's function, "" if unknown. */
const char *function_report_relation(const struct function_report *report,
				     const struct function_relation *relation);

/* Return 0 or -ERROR_MEMORY. */
int function_report_text(const struct function_report *report,
			 const struct attribution_output *output);

#endif
