/* SPDX-License-Identifier: MIT */
#include "view/answer/selection_tree.h"

#include "common/error.h"
#include "report/profile/profile.h"
#include "report/steps/task_choice.h"
#include "view/answer/cell_paths.h"
#include "view/data/call_sums.h"
#include "view/make/thread_numbers.h"

#include <stdlib.h>

static void add_times(struct view_selection *selection,
		      const uint64_t part_ns[PROFILE_PARTS])
{
	for (int i = 0; i < PROFILE_PARTS; i++)
		selection->part_ns[i] += part_ns[i];
}

/* Adds a tree to which the scope was already applied; parents precede their
 * children.
 */
static int add_tree(struct view_selection *selection,
		    const struct call_tree *from)
{
	uint32_t count = call_tree_count(from);
	uint32_t *nodes = calloc((size_t)count + 1, sizeof(*nodes));
	int status = nodes ? 0 : -ERROR_MEMORY;

	for (uint32_t i = 0; i < count && !status; i++) {
		const struct call_node *node = call_tree_at(from, i);
		const struct call_counts calls = call_tree_calls(from, i);

		nodes[i] = node->parent == CALL_NODE_NONE ?
				   call_tree_root(selection->tree, -1) :
				   call_tree_child(selection->tree,
						   nodes[node->parent],
						   node->function, false);
		if (nodes[i] == CALL_NODE_NONE) {
			status = -ERROR_MEMORY;
			break;
		}
		call_tree_at(selection->tree, nodes[i])->self_ns +=
			node->self_ns;
		call_tree_add_calls(selection->tree, nodes[i],
				    &(struct call_counts){
					    .direct = call_counts_calls(&calls),
				    },
				    0);
	}
	free(nodes);
	return status;
}

static int add_cells(const struct view_sources *sources,
		     struct view_selection *selection, bool grows,
		     struct time_window *whole)
{
	struct cell_paths *cells = cell_paths_new(sources, selection->number);
	int status = -ERROR_MEMORY;

	if (cells)
		status = cell_paths_add(cells, selection->window, grows, whole);
	if (!status)
		status = cell_paths_show(cells, &selection->scope,
					 selection->tree, selection->part_ns);
	cell_paths_free(cells);
	return status;
}

/* Returns whether a cell overlaps @window; without one, no function ran. */
static bool has_cell(const struct call_sums *calls, struct time_window window)
{
	for (size_t i = 0; i < call_sums_spans(calls, 0); i++) {
		const struct call_span *cell = call_sums_span(calls, 0, i);

		if (cell->begin_ns < window.until_ns &&
		    cell->end_ns > window.since_ns)
			return true;
	}
	return false;
}

/* Decodes @window and adds its calls. */
static int add_window(const struct view_sources *sources,
		      struct view_selection *selection,
		      struct time_window window)
{
	struct step_filter filter = { .names = sources->names };
	const struct profile_options options = {
		.filter = &filter,
		.window = window,
		.scope = &selection->scope,
		.names = sources->names,
		.recorder = sources->recorder,
	};
	const struct view_thread *thread;
	struct profile *profile;
	int status;

	if (window.since_ns >= window.until_ns ||
	    !has_cell(sources->summary->calls, window))
		return 0;
	if (selection->number != THREAD_NUMBER_NONE) {
		thread =
			array_at(&sources->summary->threads, selection->number);
		filter.tids = &thread->tid;
		filter.tid_count = 1;
	}
	profile = profile_new(&options);
	status = profile ? sources->engine->run(sources->engine, window,
						profile_callback(profile)) :
			   -ERROR_MEMORY;
	if (!status)
		status = profile_end(profile);
	if (!status) {
		add_times(selection, profile_part_times(profile));
		status = add_tree(selection, profile_tree(profile));
	}
	profile_free(profile);
	return status;
}

static int add_all(const struct view_sources *sources,
		   struct view_selection *selection)
{
	bool decodes = sources->engine && sources->summary->is_complete;
	const struct time_window wanted = selection->window;
	struct time_window whole;
	int status = add_cells(sources, selection, !decodes, &whole);

	if (!decodes) {
		selection->window = whole;
		return status;
	}
	if (!status)
		status = add_window(sources, selection,
				    (struct time_window){ wanted.since_ns,
							  whole.since_ns });
	if (!status)
		status = add_window(sources, selection,
				    (struct time_window){ whole.until_ns,
							  wanted.until_ns });
	return status;
}

int selection_tree(const struct view_sources *sources,
		   struct view_selection *selection)
{
	int status = -ERROR_MEMORY;

	for (int i = 0; i < PROFILE_PARTS; i++)
		selection->part_ns[i] = 0;
	selection->tree = call_tree_new();
	if (selection->tree)
		status = add_all(sources, selection);
	if (!status && !call_tree_sort(selection->tree))
		status = -ERROR_MEMORY;
	if (!status)
		return 0;
	call_tree_free(selection->tree);
	selection->tree = NULL;
	return status;
}
