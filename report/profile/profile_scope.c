/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_scope.h"

#include "report/profile/call_tree.h"
#include "report/steps/task_choice.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

struct cutter {
	const struct profile_scope *scope;
	const struct call_tree *from;
	struct call_tree *to;
	const uint8_t *parts; /* by node of from: enum profile_part */
	/* By node of from: its node in to, or that of its innermost shown
	 * caller.
	 */
	uint32_t *places;
};

static bool is_interrupt(enum context_kind kind)
{
	return kind == CONTEXT_INTERRUPT || kind == CONTEXT_NMI ||
	       kind == CONTEXT_SOFTIRQ;
}

const char *profile_part_name(enum profile_part part)
{
	static const char *const names[PROFILE_PARTS] = {
		[PROFILE_WORK] = "work",
		[PROFILE_IDLE] = "idle",
		[PROFILE_TRACER] = "tracer",
	};

	return names[part];
}

enum profile_part profile_part_of_task(const struct task_names *names,
				       const char *recorder, int32_t tid)
{
	if (!tid)
		return PROFILE_IDLE;
	return recorder_task_is(names, recorder, tid) ? PROFILE_TRACER :
							PROFILE_WORK;
}

enum profile_part profile_part_of_call(const struct context_kinds *kinds,
				       uint32_t function,
				       enum profile_part caller_part)
{
	enum context_kind kind = context_kind_of(kinds, function);

	if (is_interrupt(kind))
		return PROFILE_WORK;
	return kind == CONTEXT_TRACER ? PROFILE_TRACER : caller_part;
}

static uint8_t part_of(const struct profile_scope *scope,
		       const struct call_tree *tree, const uint8_t *parts,
		       uint32_t index)
{
	const struct call_node *node = call_tree_at(tree, index);

	if (node->parent == CALL_NODE_NONE)
		return (uint8_t)tree->links[index].part;
	return (uint8_t)profile_part_of_call(
		scope->kinds, node->function,
		(enum profile_part)parts[node->parent]);
}

/* Returns the part of each node, which the caller frees, and the time of each
 * part in @time_ns; NULL when out of memory.
 */
static uint8_t *parts_of(const struct profile_scope *scope,
			 const struct call_tree *tree,
			 uint64_t time_ns[PROFILE_PARTS])
{
	uint32_t count = call_tree_count(tree);
	uint8_t *parts = malloc((size_t)count + 1);

	memset(time_ns, 0, PROFILE_PARTS * sizeof(*time_ns));
	for (uint32_t i = 0; parts && i < count; i++) {
		parts[i] = part_of(scope, tree, parts, i);
		time_ns[parts[i]] += call_tree_at(tree, i)->self_ns;
	}
	return parts;
}

static uint32_t place_of(const struct cutter *cutter, uint32_t index)
{
	const struct call_node *node = call_tree_at(cutter->from, index);
	uint32_t caller;

	if (node->parent == CALL_NODE_NONE)
		return call_tree_root(cutter->to,
				      call_tree_pid(cutter->from, index));
	caller = cutter->places[node->parent];
	if (!cutter->scope->shows[cutter->parts[index]])
		return caller;
	return call_tree_find_child(cutter->to, caller, node->function,
				    node->is_interrupt);
}

/* Copies node @index.  Returns false when out of memory. */
static bool cut(const struct cutter *cutter, uint32_t index)
{
	const struct call_node *node = call_tree_at(cutter->from, index);
	const struct call_counts calls = call_tree_calls(cutter->from, index);
	uint32_t place = place_of(cutter, index);

	cutter->places[index] = place;
	if (place == CALL_NODE_NONE)
		return false;
	if (!cutter->scope->shows[cutter->parts[index]])
		return true;
	call_tree_at(cutter->to, place)->self_ns += node->self_ns;
	call_tree_add_calls(cutter->to, place, &calls,
			    call_tree_inferred_ns(cutter->from, index));
	return true;
}

struct call_tree *profile_scope_apply(const struct profile_scope *scope,
				      const struct call_tree *tree,
				      uint64_t time_ns[PROFILE_PARTS])
{
	uint32_t count = call_tree_count(tree);
	uint8_t *parts = parts_of(scope, tree, time_ns);
	struct cutter cutter = {
		.scope = scope,
		.from = tree,
		.to = call_tree_new(),
		.parts = parts,
		.places = calloc((size_t)count + 1, sizeof(*cutter.places)),
	};
	bool is_whole = parts && cutter.to && cutter.places &&
			call_tree_reserve(cutter.to, count);

	for (uint32_t i = 0; is_whole && i < count; i++)
		is_whole = cut(&cutter, i);
	free(parts);
	free(cutter.places);
	if (is_whole)
		return cutter.to;
	call_tree_free(cutter.to);
	return NULL;
}

/* Returns the first root of the process or group of @root. */
static uint32_t first_of_process(const struct call_tree *tree, uint32_t root)
{
	int32_t pid = call_tree_pid(tree, root);
	uint32_t first = root;

	for (; root != CALL_NODE_NONE;
	     root = call_tree_next_sibling(tree, root))
		if (call_tree_pid(tree, root) == pid)
			first = root;
	return first;
}

/* Moves the children of @from to @to, which has a smaller number. */
static void move_children(struct call_tree *tree, uint32_t from, uint32_t to)
{
	uint32_t child = call_tree_first_child(tree, from);

	while (child != CALL_NODE_NONE) {
		uint32_t next = call_tree_next_sibling(tree, child);

		call_tree_at(tree, child)->parent = to;
		tree->links[child].next_sibling = tree->links[to].first_child;
		tree->links[to].first_child = child;
		child = next;
	}
	tree->links[from].first_child = CALL_NODE_NONE;
}

/* Merges the roots of each process into one. Newer roots come first in the
 * list.
 */
static void join_roots(struct call_tree *tree)
{
	uint32_t *link = &tree->first_root;

	while (*link != CALL_NODE_NONE) {
		uint32_t root = *link;
		uint32_t first = first_of_process(tree, root);

		if (first == root) {
			link = &tree->links[root].next_sibling;
			continue;
		}
		*link = tree->links[root].next_sibling;
		move_children(tree, root, first);
	}
}

/* Clears the function, times and counts of node @index. */
static void hide(struct call_tree *tree, uint32_t index)
{
	struct call_node *node = call_tree_at(tree, index);

	node->function = FUNCTION_NONE;
	node->self_ns = 0;
	node->direct = 0;
	node->tail = 0;
	tree->links[index].more = 0;
}

bool profile_scope_hide(const struct profile_scope *scope,
			struct call_tree *tree, uint64_t time_ns[PROFILE_PARTS])
{
	uint32_t count = call_tree_count(tree);
	uint8_t *parts = parts_of(scope, tree, time_ns);

	if (!parts)
		return false;
	call_tree_forget_slots(tree);
	for (uint32_t i = 0; i < count; i++)
		if (!scope->shows[parts[i]])
			hide(tree, i);
	join_roots(tree);
	free(parts);
	return true;
}
