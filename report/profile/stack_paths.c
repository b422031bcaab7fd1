/* SPDX-License-Identifier: MIT */
#include "report/profile/stack_paths.h"

#include "common/array.h"
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "report/text/function_label.h"
#include "symbolize/functions/function_table.h"

/* The most functions of a stack: one of the DEPTH_DRAWN levels is its process.
 */
enum { MOST_FUNCTIONS = DEPTH_DRAWN - 1 };

/* The time and counts of a function in one stack, or their sum over all stacks
 * below the open path that end in it.
 */
struct path_sum {
	uint32_t function;
	uint64_t self_ns;
	uint64_t calls;
	uint64_t starts;
};

struct walker {
	const struct call_tree *tree;
	bool has_states;
	stack_path_visitor *visit;
	void *ctx;
	/* uint32_t: the functions of the open nodes, without roots */
	struct array functions;
	struct keyed_array deep; /* struct path_sum: below the open path */
};

static int report_path(const struct walker *walker, uint32_t node,
		       const struct path_sum *sum)
{
	const struct stack_path path = {
		.tree = call_tree_pid(walker->tree, node),
		.functions = walker->functions.items,
		.depth = walker->functions.count,
		.self_ns = sum->self_ns,
		.calls = sum->calls,
		.starts = sum->starts,
	};

	return walker->visit(walker->ctx, &path);
}

static int add_deep(struct walker *walker, const struct path_sum *part)
{
	struct path_sum *sum = keyed_array_add(
		&walker->deep,
		&(struct path_sum){ .function = part->function });

	if (!sum)
		return -ERROR_MEMORY;
	sum->self_ns += part->self_ns;
	sum->calls += part->calls;
	sum->starts += part->starts;
	return 0;
}

/* Reports the time of a process outside of functions. */
static int enter_root(const struct walker *walker, uint32_t node)
{
	const uint32_t unknown = FUNCTION_UNKNOWN;
	const struct stack_path path = {
		.tree = call_tree_pid(walker->tree, node),
		.functions = &unknown,
		.depth = 1,
		.is_outside = true,
		.self_ns = call_tree_at(walker->tree, node)->self_ns,
	};

	return walker->has_states && path.self_ns ?
		       walker->visit(walker->ctx, &path) :
		       0;
}

static int enter(struct walker *walker, uint32_t node)
{
	const struct call_node *about = call_tree_at(walker->tree, node);
	const struct call_counts counts = call_tree_calls(walker->tree, node);
	const struct path_sum sum = {
		.function = about->function,
		.self_ns = about->self_ns,
		.calls = call_counts_calls(&counts),
		.starts = counts.starts,
	};

	if (about->function == FUNCTION_NONE)
		return enter_root(walker, node);
	if (array_append(&walker->functions, &about->function) < 0)
		return -ERROR_MEMORY;
	if (!sum.self_ns && !sum.calls)
		return 0;
	if (walker->functions.count > MOST_FUNCTIONS)
		return add_deep(walker, &sum);
	return report_path(walker, node, &sum);
}

/* Reports the sums of all stacks that are deeper than the open path, which has
 * MOST_FUNCTIONS levels and ends with @node.
 */
static int end_deep(struct walker *walker, uint32_t node)
{
	const struct path_sum *sums = walker->deep.items.items;
	const uint32_t left_out = frame_state_function(FRAME_LEFT_OUT);
	int status = 0;

	if (!walker->deep.items.count)
		return 0;
	if (array_append(&walker->functions, &left_out) < 0 ||
	    !array_add(&walker->functions))
		return -ERROR_MEMORY;
	for (size_t i = 0; i < walker->deep.items.count && !status; i++) {
		*(uint32_t *)array_at(&walker->functions, MOST_FUNCTIONS + 1) =
			sums[i].function;
		status = report_path(walker, node, &sums[i]);
	}
	walker->functions.count -= 2;
	keyed_array_free(&walker->deep);
	return status;
}

static int leave(struct walker *walker, uint32_t node)
{
	int status = 0;

	if (call_tree_at(walker->tree, node)->function == FUNCTION_NONE)
		return 0;
	if (walker->functions.count == MOST_FUNCTIONS)
		status = end_deep(walker, node);
	walker->functions.count--;
	return status;
}

int stack_paths_visit(const struct call_tree *tree, bool has_states,
		      stack_path_visitor *visit, void *ctx)
{
	struct tree_walk walk = tree_walk_of(tree);
	struct walker walker = {
		.tree = tree,
		.has_states = has_states,
		.visit = visit,
		.ctx = ctx,
		.functions = ARRAY_OF(uint32_t),
		.deep = KEYED_ARRAY_OF(struct path_sum, function),
	};
	int status = 0;

	while (!status && tree_walk_next(&walk))
		status = walk.leaving ? leave(&walker, walk.node) :
					enter(&walker, walk.node);
	array_free(&walker.functions);
	keyed_array_free(&walker.deep);
	return status;
}
