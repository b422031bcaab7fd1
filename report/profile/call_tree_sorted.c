/* SPDX-License-Identifier: MIT */
#include "report/profile/call_tree.h"

#include "common/array.h"

#include <stdlib.h>

struct child {
	int32_t pid;		/* of a root */
	uint32_t function;
	uint32_t is_break;
	uint32_t node;
};

struct sorter {
	const struct call_tree *from;
	struct call_tree *to;
	bool *used;		/* by node of from */
	struct array origins;	/* uint32_t, of from, by node of to */
	struct array children;	/* struct child */
};

/* What is made last comes first in walks. */
static int compare_children(const void *a, const void *b)
{
	const struct child *x = a;
	const struct child *y = b;

	if (x->pid != y->pid)
		return x->pid > y->pid ? -1 : 1;
	if (x->function != y->function)
		return x->function > y->function ? -1 : 1;
	return (x->is_break < y->is_break) - (x->is_break > y->is_break);
}

/* Sets sorter->children to the used ones from @first on, in order. */
static bool collect(struct sorter *sorter, uint32_t first)
{
	sorter->children.count = 0;
	for (uint32_t i = first; i != CALL_NODE_NONE;
	     i = call_tree_next_sibling(sorter->from, i)) {
		const struct call_node *node = call_tree_at(sorter->from, i);
		struct child *child;

		if (!sorter->used[i])
			continue;
		child = array_add(&sorter->children);
		if (!child)
			return false;
		*child = (struct child){
			.pid = call_tree_pid(sorter->from, i),
			.function = node->function,
			.is_break = node->is_break,
			.node = i,
		};
	}
	if (sorter->children.count > 1)
		qsort(sorter->children.items, sorter->children.count,
		      sizeof(struct child), compare_children);
	return true;
}

static bool add(struct sorter *sorter, uint32_t parent,
		const struct child *child)
{
	const struct call_node *from = call_tree_at(sorter->from, child->node);
	uint32_t *origin = array_add(&sorter->origins);
	uint32_t made;

	if (!origin)
		return false;
	*origin = child->node;
	if (parent == CALL_NODE_NONE)
		made = call_tree_root(sorter->to, child->pid);
	else
		made = call_tree_find_child(sorter->to, parent, child->function,
					    child->is_break);
	if (made == CALL_NODE_NONE)
		return false;
	call_tree_at(sorter->to, made)->self_ns = from->self_ns;
	call_tree_at(sorter->to, made)->calls = from->calls;
	return true;
}

static bool add_children(struct sorter *sorter, uint32_t parent, uint32_t first)
{
	if (!collect(sorter, first))
		return false;
	for (size_t i = 0; i < sorter->children.count; i++)
		if (!add(sorter, parent, array_at(&sorter->children, i)))
			return false;
	return true;
}

static bool sort(struct sorter *sorter)
{
	if (!add_children(sorter, CALL_NODE_NONE,
			  call_tree_first_root(sorter->from)))
		return false;
	for (uint32_t i = 0; i < call_tree_count(sorter->to); i++) {
		uint32_t origin =
			*(uint32_t *)array_at(&sorter->origins, i);

		if (!add_children(sorter, i,
				  call_tree_first_child(sorter->from, origin)))
			return false;
	}
	return true;
}

struct call_tree *call_tree_sorted(const struct call_tree *tree)
{
	struct sorter sorter = {
		.from = tree,
		.to = call_tree_new(),
		.used = call_tree_used(tree),
		.origins = ARRAY_OF(uint32_t),
		.children = ARRAY_OF(struct child),
	};

	if (!sorter.to || !sorter.used || !sort(&sorter)) {
		call_tree_free(sorter.to);
		sorter.to = NULL;
	}
	free(sorter.used);
	array_free(&sorter.origins);
	array_free(&sorter.children);
	return sorter.to;
}
