/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_scope.h"

#include "report/profile/call_tree.h"
#include "report/steps/recorder_task.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

/* Where a node of the whole tree is in the one that is shown. */
struct place {
	uint32_t node; /* it, or the innermost caller shown */
	enum profile_part part;
};

struct cutter {
	const struct profile_scope *scope;
	const struct call_tree *from;
	struct call_tree *to;
	struct place *places; /* by node of from */
	uint64_t *time_ns;    /* by part */
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

static uint32_t place_root(const struct cutter *cutter, uint32_t index,
			   struct place *place)
{
	const struct call_links *links = &cutter->from->links[index];

	place->part = (enum profile_part)links->part;
	return call_tree_root(cutter->to, links->pid);
}

static uint32_t place_call(const struct cutter *cutter, uint32_t index,
			   struct place *place)
{
	const struct call_node *node = call_tree_at(cutter->from, index);
	const struct place *caller = &cutter->places[node->parent];

	place->part = profile_part_of_call(cutter->scope->kinds, node->function,
					   caller->part);
	if (!cutter->scope->shows[place->part])
		return caller->node;
	return call_tree_find_child(cutter->to, caller->node, node->function,
				    node->is_interrupt);
}

/* Copies node @index.  Returns false when out of memory. */
static bool cut(const struct cutter *cutter, uint32_t index)
{
	const struct call_node *node = call_tree_at(cutter->from, index);
	const struct call_counts calls = call_tree_calls(cutter->from, index);
	struct place *place = &cutter->places[index];

	place->node = node->parent == CALL_NODE_NONE ?
			      place_root(cutter, index, place) :
			      place_call(cutter, index, place);
	if (place->node == CALL_NODE_NONE)
		return false;
	cutter->time_ns[place->part] += node->self_ns;
	if (!cutter->scope->shows[place->part])
		return true;
	call_tree_at(cutter->to, place->node)->self_ns += node->self_ns;
	call_tree_add_calls(cutter->to, place->node, &calls,
			    call_tree_inferred_ns(cutter->from, index));
	return true;
}

struct call_tree *profile_scope_apply(const struct profile_scope *scope,
				      const struct call_tree *tree,
				      uint64_t time_ns[PROFILE_PARTS])
{
	uint32_t count = call_tree_count(tree);
	struct cutter cutter = {
		.scope = scope,
		.from = tree,
		.to = call_tree_new(),
		.places = calloc((size_t)count + 1, sizeof(*cutter.places)),
		.time_ns = time_ns,
	};
	bool is_whole = cutter.to && cutter.places &&
			call_tree_reserve(cutter.to, count);

	memset(time_ns, 0, PROFILE_PARTS * sizeof(*time_ns));
	for (uint32_t i = 0; is_whole && i < count; i++)
		is_whole = cut(&cutter, i);
	free(cutter.places);
	if (is_whole)
		return cutter.to;
	call_tree_free(cutter.to);
	return NULL;
}

/* Returns the first root that is of the process, or group, of @root. */
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

/* Makes the children of @from children of @to, which is older. */
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

/* Leaves one root for each process.  Newer roots come before older ones. */
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

/* Takes from node @index what it counts, and its function. */
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
	uint8_t *parts = malloc((size_t)count + 1);

	memset(time_ns, 0, PROFILE_PARTS * sizeof(*time_ns));
	if (!parts)
		return false;
	call_tree_forget_slots(tree);
	for (uint32_t i = 0; i < count; i++) {
		const struct call_node *node = call_tree_at(tree, i);

		parts[i] = node->parent == CALL_NODE_NONE ?
				   (uint8_t)tree->links[i].part :
				   (uint8_t)profile_part_of_call(
					   scope->kinds, node->function,
					   parts[node->parent]);
		time_ns[parts[i]] += node->self_ns;
		if (!scope->shows[parts[i]])
			hide(tree, i);
	}
	join_roots(tree);
	free(parts);
	return true;
}
