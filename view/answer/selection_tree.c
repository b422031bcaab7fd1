/* SPDX-License-Identifier: MIT */
#include "view/answer/selection_tree.h"

#include "common/error.h"
#include "report/profile/profile.h"
#include "report/steps/step_filter.h"
#include "view/data/call_sums.h"
#include "view/make/thread_numbers.h"

#include <stdlib.h>

/* What was done on one path. */
struct path_sum {
	uint64_t self_ns;
	uint64_t calls;
	uint32_t parent;
	uint32_t function;
	bool is_used;		/* or one below it is */
};

/* What goes on while a selection is added up. */
struct selection {
	const struct view_sources *sources;
	uint32_t number;		/* the thread that is wanted */
	struct call_tree *tree;
	struct path_sum *paths;		/* by path */
	uint32_t *threads;		/* by place; NULL: all are wanted */
};

/* Finds what the paths are, and whose the places. */
static int map_places(struct selection *selection)
{
	const struct call_sums *calls = selection->sources->summary->calls;
	uint32_t count = call_sums_places(calls);

	selection->paths = calloc(count + 1, sizeof(*selection->paths));
	if (selection->number != THREAD_NUMBER_NONE)
		selection->threads =
			calloc(count + 1, sizeof(*selection->threads));
	if (!selection->paths || (selection->number != THREAD_NUMBER_NONE &&
				  !selection->threads))
		return -ERROR_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		struct call_place place = call_sums_place(calls, i);
		bool is_root = place.parent == CALL_PLACE_NONE;
		struct path_sum *path = &selection->paths[place.path];

		if (selection->threads)
			selection->threads[i] =
				is_root ? place.function :
					  selection->threads[place.parent];
		if (is_root)
			continue;
		path->function = place.function;
		path->parent = call_sums_place(calls, place.parent).path;
	}
	return 0;
}

static int add_part(struct selection *selection, size_t index)
{
	const struct call_sums *calls = selection->sources->summary->calls;
	struct call_part_sums part;
	int status = call_sums_read(calls, index, &part);
	const struct call_sum *sums = part.sums.items;

	for (size_t i = 0; i < part.sums.count && !status; i++) {
		uint32_t number = sums[i].place;
		struct path_sum *path;

		if (selection->threads &&
		    selection->threads[number] != selection->number)
			continue;
		path = &selection->paths[call_sums_place(calls, number).path];
		path->self_ns += sums[i].self_ns;
		path->calls += sums[i].calls;
		path->is_used = true;
	}
	array_free(&part.sums);
	return status;
}

static int add_sum(struct call_tree *tree, uint32_t node,
		   const struct path_sum *sum)
{
	struct call_node *to;

	if (node == CALL_NODE_NONE)
		return -ERROR_MEMORY;
	to = call_tree_at(tree, node);
	to->self_ns += sum->self_ns;
	to->calls.direct += sum->calls;
	return 0;
}

/* Makes a tree of the paths that were used: parents come before children. */
static int add_paths(struct selection *selection)
{
	uint32_t count = call_sums_places(selection->sources->summary->calls);
	struct path_sum *paths = selection->paths;
	uint32_t *nodes = calloc(count + 1, sizeof(*nodes));
	int status = 0;

	if (!nodes)
		return -ERROR_MEMORY;
	for (uint32_t i = count; i; i--)
		if (paths[i].is_used)
			paths[paths[i].parent].is_used = true;
	nodes[0] = call_tree_root(selection->tree, -1);
	for (uint32_t i = 0; i <= count && !status; i++) {
		if (i && paths[i].is_used)
			nodes[i] = call_tree_child(selection->tree,
						   nodes[paths[i].parent],
						   paths[i].function, false);
		if (paths[i].is_used)
			status = add_sum(selection->tree, nodes[i], &paths[i]);
	}
	free(nodes);
	return status;
}

/* Adds a tree of one window, whose parents come before their children. */
static int add_tree(struct selection *selection, const struct call_tree *from)
{
	uint32_t count = call_tree_count(from);
	uint32_t *nodes = calloc(count + 1, sizeof(*nodes));
	int status = nodes ? 0 : -ERROR_MEMORY;

	for (uint32_t i = 0; i < count && !status; i++) {
		const struct call_node *node = call_tree_at(from, i);
		struct call_node *to;

		nodes[i] = node->parent == CALL_NODE_NONE ?
				   call_tree_root(selection->tree, -1) :
				   call_tree_child(selection->tree,
						   nodes[node->parent],
						   node->function, false);
		if (nodes[i] == CALL_NODE_NONE) {
			status = -ERROR_MEMORY;
			break;
		}
		to = call_tree_at(selection->tree, nodes[i]);
		to->self_ns += node->self_ns;
		to->calls.direct += call_counts_calls(&node->calls);
	}
	free(nodes);
	return status;
}

/* Decodes what lies between two times, and adds it. */
static int add_window(struct selection *selection, struct time_window window)
{
	const struct view_sources *sources = selection->sources;
	struct step_filter filter = { .names = sources->names };
	const struct profile_options options = {
		.filter = &filter,
		.window = window,
	};
	const struct view_thread *thread;
	struct profile *profile;
	int status;

	if (window.since_ns >= window.until_ns)
		return 0;
	if (selection->number != THREAD_NUMBER_NONE) {
		thread = array_at(&sources->summary->threads,
				  selection->number);
		filter.pids = &thread->tid;
		filter.pid_count = 1;
	}
	profile = profile_new(&options);
	status = profile ? sources->engine->run(sources->engine, window,
						profile_sink(profile)) :
			   -ERROR_MEMORY;
	if (!status)
		status = profile_end(profile);
	if (!status)
		status = add_tree(selection, profile_tree(profile));
	profile_free(profile);
	return status;
}

/* Adds the whole parts in @window and finds where they begin and end: nowhere,
 * at its begin, if there are none.  With @grows those that it has a bit of.
 */
static int add_parts(struct selection *selection, struct time_window window,
		     bool grows, struct time_window *whole)
{
	const struct call_sums *calls = selection->sources->summary->calls;
	bool has_part = false;
	int status = 0;

	*whole = (struct time_window){ window.since_ns, window.since_ns };
	for (size_t i = 0; i < call_sums_parts(calls) && !status; i++) {
		uint64_t begin_ns;
		uint64_t end_ns;

		call_sums_when(calls, i, &begin_ns, &end_ns);
		if (grows ? end_ns <= window.since_ns ||
				    begin_ns >= window.until_ns :
			    begin_ns < window.since_ns ||
				    end_ns > window.until_ns)
			continue;
		if (!has_part)
			whole->since_ns = begin_ns;
		has_part = true;
		whole->until_ns = end_ns;
		status = add_part(selection, i);
	}
	return status;
}

static int add_all(struct selection *selection, struct time_window *window)
{
	const struct view_sources *sources = selection->sources;
	bool decodes = sources->engine && sources->summary->is_complete;
	struct time_window whole;
	int status = map_places(selection);

	if (!status)
		status = add_parts(selection, *window, !decodes, &whole);
	if (!status)
		status = add_paths(selection);
	if (!status && decodes) {
		status = add_window(selection,
				    (struct time_window){ window->since_ns,
							  whole.since_ns });
		if (!status)
			status = add_window(
				selection,
				(struct time_window){ whole.until_ns,
						      window->until_ns });
	} else if (!status) {
		*window = whole;
	}
	return status;
}

int selection_tree(const struct view_sources *sources,
		   struct time_window *window, uint32_t number,
		   struct call_tree **tree)
{
	struct selection selection = {
		.sources = sources,
		.number = number,
		.tree = call_tree_new(),
	};
	int status = selection.tree ? add_all(&selection, window) :
				      -ERROR_MEMORY;

	free(selection.paths);
	free(selection.threads);
	if (!status && !call_tree_sort(selection.tree))
		status = -ERROR_MEMORY;
	if (status)
		call_tree_free(selection.tree);
	*tree = status ? NULL : selection.tree;
	return status;
}
