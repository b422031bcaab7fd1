/* SPDX-License-Identifier: MIT */
#include "report/diff/diff_layout.h"

#include "common/error.h"
#include "report/diff/diff_paths.h"

#include <stdlib.h>
#include <string.h>

/* DIFF_PATH_NONE wraps to 0, so roots come first. */
static uint32_t group_of(const struct diff_paths *paths, uint32_t index)
{
	return diff_paths_at(paths, index)->parent + 1;
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct diff_paths *paths = ctx;
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	int order;

	if (group_of(paths, x) != group_of(paths, y))
		return group_of(paths, x) < group_of(paths, y) ? -1 : 1;
	order = strcmp(diff_paths_name(paths, x), diff_paths_name(paths, y));
	if (order)
		return order;
	return x < y ? -1 : x > y;
}

/* The total of a path is its own time plus that of its descendants, which have
 * larger numbers.
 */
static void add_up(const struct diff_paths *paths, int side,
		   struct diff_layout *layout)
{
	const uint32_t *recordings = diff_paths_recordings(paths);

	for (uint32_t i = diff_paths_count(paths); i--;) {
		const struct diff_path *path = diff_paths_at(paths, i);

		layout->total_ns[i] += diff_rounded(
			diff_side_mean(&path->sides[side], recordings[side])
				.total_ns);
		if (path->parent == DIFF_PATH_NONE)
			layout->all_ns += layout->total_ns[i];
		else
			layout->total_ns[path->parent] += layout->total_ns[i];
	}
}

/* Paths have larger numbers than those above them. */
static void count_levels(const struct diff_paths *paths,
			 struct diff_layout *layout)
{
	for (uint32_t i = diff_paths_count(paths); i-- > 0;) {
		uint32_t parent = diff_paths_at(paths, i)->parent;
		uint32_t levels = layout->below[i] + 1;

		if (parent != DIFF_PATH_NONE && layout->total_ns[i] &&
		    levels > layout->below[parent])
			layout->below[parent] = levels;
	}
}

/* Places the paths, which are grouped by parent, parents before children. */
static void place(const struct diff_paths *paths, const uint32_t *order,
		  struct diff_layout *layout)
{
	uint32_t group = DIFF_PATH_NONE;
	uint64_t next_ns = 0;

	for (uint32_t i = 0; i < diff_paths_count(paths); i++) {
		uint32_t index = order[i];
		uint32_t parent = diff_paths_at(paths, index)->parent;

		if (parent != group)
			next_ns = layout->start_ns[parent];
		group = parent;
		if (parent != DIFF_PATH_NONE)
			layout->depth[index] = layout->depth[parent] + 1;
		layout->start_ns[index] = next_ns;
		next_ns += layout->total_ns[index];
		if (layout->total_ns[index] &&
		    layout->depth[index] > layout->max_depth)
			layout->max_depth = layout->depth[index];
	}
}

int diff_layout_make(const struct diff_paths *paths, int side,
		     struct diff_layout *layout)
{
	size_t count = (size_t)diff_paths_count(paths) + 1;
	uint32_t *order = calloc(count, sizeof(*order));
	int status = -ERROR_MEMORY;

	*layout = (struct diff_layout){
		.start_ns = calloc(count, sizeof(uint64_t)),
		.total_ns = calloc(count, sizeof(uint64_t)),
		.depth = calloc(count, sizeof(uint32_t)),
		.below = calloc(count, sizeof(uint32_t)),
	};
	if (order && layout->start_ns && layout->total_ns && layout->depth &&
	    layout->below) {
		for (uint32_t i = 0; i + 1 < count; i++)
			order[i] = i;
		qsort_r(order, count - 1, sizeof(*order), compare,
			(void *)(uintptr_t)paths);
		add_up(paths, side, layout);
		place(paths, order, layout);
		count_levels(paths, layout);
		status = 0;
	}
	free(order);
	if (status < 0)
		diff_layout_free(layout);
	return status;
}

void diff_layout_free(struct diff_layout *layout)
{
	free(layout->start_ns);
	free(layout->total_ns);
	free(layout->depth);
	free(layout->below);
	*layout = (struct diff_layout){ 0 };
}
