/* SPDX-License-Identifier: MIT */
#include "report/profile/function_profile.h"

#include "common/array.h"
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>

struct maker {
	const struct call_tree *tree;
	const uint64_t *totals; /* by node */
	const bool *used;	/* by node */
	struct array rows;	/* struct function_row */
	size_t first_row;	/* of the current process */
	uint32_t *row_of_node;
	/* in the current process, + 1; 0: none yet */
	uint32_t *row_of_function;
	uint32_t *open; /* by function: recursion depth */
	uint64_t self_ns;
};

/* Starts another process, whose functions have separate rows. */
static void begin_process(struct maker *maker)
{
	for (; maker->first_row < maker->rows.count; maker->first_row++) {
		const struct function_row *row =
			array_at(&maker->rows, maker->first_row);

		maker->row_of_function[row->function] = 0;
	}
}

static struct function_row *row_for(struct maker *maker, uint32_t node)
{
	uint32_t function = call_tree_at(maker->tree, node)->function;
	uint32_t *number = &maker->row_of_function[function];
	struct function_row *row;

	if (*number)
		return array_at(&maker->rows, *number - 1);
	row = array_add(&maker->rows);
	if (!row)
		return NULL;
	row->function = function;
	row->pid = call_tree_pid(maker->tree, node);
	*number = (uint32_t)maker->rows.count;
	return row;
}

static int enter(struct maker *maker, uint32_t index)
{
	const struct call_node *node = call_tree_at(maker->tree, index);
	struct call_counts calls;
	struct function_row *row;

	maker->row_of_node[index] = UINT32_MAX;
	if (node->parent == CALL_NODE_NONE)
		begin_process(maker);
	if (node->function == FUNCTION_NONE || !maker->used[index])
		return 0;
	row = row_for(maker, index);
	if (!row)
		return -ERROR_MEMORY;
	maker->row_of_node[index] = maker->row_of_function[node->function] - 1;
	row->self_ns += node->self_ns;
	row->inferred_ns += call_tree_inferred_ns(maker->tree, index);
	maker->self_ns += node->self_ns;
	calls = call_tree_calls(maker->tree, index);
	call_counts_join(&row->calls, &calls);
	if (!maker->open[node->function]++)
		row->total_ns += maker->totals[index];
	return 0;
}

static int walk_tree(struct maker *maker)
{
	struct tree_walk walk = tree_walk_of(maker->tree);

	while (tree_walk_next(&walk)) {
		const struct call_node *node =
			call_tree_at(maker->tree, walk.node);

		if (!walk.leaving) {
			if (enter(maker, walk.node) < 0)
				return -ERROR_MEMORY;
		} else if (maker->row_of_node[walk.node] != UINT32_MAX) {
			maker->open[node->function]--;
		}
	}
	return 0;
}

int function_profile_make(const struct call_tree *tree, uint32_t function_count,
			  struct function_profile *profile)
{
	uint64_t *totals = call_tree_totals(tree);
	bool *used = call_tree_used(tree);
	struct maker maker = {
		.tree = tree,
		.totals = totals,
		.used = used,
		.rows = ARRAY_OF(struct function_row),
		.row_of_node =
			calloc(call_tree_count(tree) + 1, sizeof(uint32_t)),
		.row_of_function = calloc(function_count, sizeof(uint32_t)),
		.open = calloc(function_count, sizeof(uint32_t)),
	};
	int status = -ERROR_MEMORY;

	if (totals && used && maker.row_of_node && maker.row_of_function &&
	    maker.open)
		status = walk_tree(&maker);
	free(totals);
	free(used);
	free(maker.row_of_function);
	free(maker.open);
	*profile = (struct function_profile){
		.rows = maker.rows.items,
		.row_count = maker.rows.count,
		.row_of_node = maker.row_of_node,
		.self_ns = maker.self_ns,
	};
	if (status < 0)
		function_profile_free(profile);
	return status;
}

void function_profile_free(struct function_profile *profile)
{
	free(profile->rows);
	free(profile->row_of_node);
	*profile = (struct function_profile){ 0 };
}

struct order {
	uint64_t time_ns;
	uint64_t calls;
	uint32_t function;
	int32_t pid;
	uint32_t row;
};

static int compare_orders(const void *a, const void *b)
{
	const struct order *x = a;
	const struct order *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns > y->time_ns ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static uint32_t *sorted_rows(const struct function_profile *profile,
			     bool by_total)
{
	struct order *orders = calloc(profile->row_count + 1, sizeof(*orders));
	uint32_t *rows = calloc(profile->row_count + 1, sizeof(*rows));

	for (uint32_t i = 0; orders && i < profile->row_count; i++) {
		const struct function_row *row = &profile->rows[i];

		orders[i] = (struct order){
			.time_ns = by_total ? row->total_ns : row->self_ns,
			.calls = call_counts_calls(&row->calls),
			.function = row->function,
			.pid = row->pid,
			.row = i,
		};
	}
	if (orders && rows) {
		qsort(orders, profile->row_count, sizeof(*orders),
		      compare_orders);
		for (size_t i = 0; i < profile->row_count; i++)
			rows[i] = orders[i].row;
	} else {
		free(rows);
		rows = NULL;
	}
	free(orders);
	return rows;
}

uint32_t *function_profile_by_self(const struct function_profile *profile)
{
	return sorted_rows(profile, false);
}

uint32_t *function_profile_by_total(const struct function_profile *profile)
{
	return sorted_rows(profile, true);
}
