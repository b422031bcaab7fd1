/* SPDX-License-Identifier: MIT */
#include "tables/relations/latency_paths.h"

#include "common/array.h"
#include "report/profile/call_tree.h"

#include <stdlib.h>

struct latency_paths {
	struct call_tree *tree;
	struct keyed_array all; /* struct latency_path by node */
};

struct latency_paths *latency_paths_new(void)
{
	struct latency_paths *paths = calloc(1, sizeof(*paths));

	if (!paths)
		return NULL;
	paths->all = KEYED_ARRAY_OF(struct latency_path, node);
	paths->tree = call_tree_new();
	if (paths->tree && call_tree_root(paths->tree, -1) != CALL_NODE_NONE)
		return paths;
	latency_paths_free(paths);
	return NULL;
}

void latency_paths_free(struct latency_paths *paths)
{
	if (!paths)
		return;
	for (size_t i = 0; i < paths->all.items.count; i++) {
		struct latency_path *path = array_at(&paths->all.items, i);

		histogram_free(&path->time);
	}
	keyed_array_free(&paths->all);
	call_tree_free(paths->tree);
	free(paths);
}

uint32_t latency_paths_begin(struct latency_paths *paths, uint32_t function)
{
	return call_tree_child(paths->tree, call_tree_first_root(paths->tree),
			       function, false);
}

uint32_t latency_paths_go_on(struct latency_paths *paths, uint32_t node,
			     uint32_t function)
{
	return node == CALL_NODE_NONE ?
		       node :
		       call_tree_child(paths->tree, node, function, false);
}

struct latency_path *latency_paths_to(struct latency_paths *paths,
				      uint32_t node)
{
	return node == CALL_NODE_NONE ?
		       NULL :
		       keyed_array_add(&paths->all,
				       &(struct latency_path){
					       .node = node,
					       .time = HISTOGRAM_EMPTY,
				       });
}

static int compare_paths(const void *a, const void *b)
{
	const struct latency_path *x = a;
	const struct latency_path *y = b;

	if (x->time.count != y->time.count)
		return x->time.count > y->time.count ? -1 : 1;
	if (x->time.total != y->time.total)
		return x->time.total > y->time.total ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

void latency_paths_sort(struct latency_paths *paths)
{
	array_sort(&paths->all.items, compare_paths);
}

const struct latency_path *latency_paths_at(const struct latency_paths *paths,
					    size_t index)
{
	return index < paths->all.items.count ?
		       array_at(&paths->all.items, index) :
		       NULL;
}

const struct call_tree *latency_paths_tree(const struct latency_paths *paths)
{
	return paths->tree;
}
