/* SPDX-License-Identifier: MIT */
#include "attribution/relations/latency_paths.h"

#include "common/array.h"
#include "report/profile/call_tree.h"

#include <stdlib.h>

struct latency_paths {
	struct call_tree *tree;
	struct array list;    /* struct latency_path */
	struct array of_node; /* uint32_t: index in list + 1 */
};

struct latency_paths *latency_paths_new(void)
{
	struct latency_paths *paths = calloc(1, sizeof(*paths));

	if (!paths)
		return NULL;
	paths->list = ARRAY_OF(struct latency_path);
	paths->of_node = ARRAY_OF(uint32_t);
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
	for (size_t i = 0; i < paths->list.count; i++) {
		struct latency_path *path = array_at(&paths->list, i);

		histogram_free(&path->time);
	}
	array_free(&paths->list);
	array_free(&paths->of_node);
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
	struct latency_path *path;
	uint32_t *number;

	if (node == CALL_NODE_NONE)
		return NULL;
	number = array_reach(&paths->of_node, node);
	if (!number)
		return NULL;
	if (*number)
		return array_at(&paths->list, *number - 1);
	path = array_add(&paths->list);
	if (!path)
		return NULL;
	*number = (uint32_t)paths->list.count;
	path->node = node;
	path->time = HISTOGRAM_EMPTY;
	return path;
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
	array_sort(&paths->list, compare_paths);
}

const struct latency_path *latency_paths_at(const struct latency_paths *paths,
					    size_t index)
{
	return index < paths->list.count ? array_at(&paths->list, index) : NULL;
}

const struct call_tree *latency_paths_tree(const struct latency_paths *paths)
{
	return paths->tree;
}
