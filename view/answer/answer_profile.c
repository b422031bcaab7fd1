/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "symbolize/functions/function_table.h"
#include "view/answer/answer.h"
#include "view/answer/answer_json_internal.h"
#include "view/data/call_sums.h"
#include "view/make/thread_numbers.h"

#include <stdbool.h>
#include <stdlib.h>

/* A selection and its profile. */
struct view_selection {
	struct time_window window;
	/* of the chosen thread, which is shown even if it is idle or the
	 * tracer; or THREAD_NUMBER_NONE: all
	 */
	uint32_t number;
	struct profile_scope scope;
	struct call_tree *tree; /* has one root, or is empty */
	/* time of each part of the profile, shown or not */
	uint64_t part_ns[PROFILE_PARTS];
};

/* The sums of one path, of the tasks of one part. */
struct path_sum {
	uint64_t self_ns;
	uint64_t calls;
	bool is_used; /* this path or one below it has sums */
};

/* The call paths of one thread or of all, summed over whole cells: the
 * intervals for which a summary has call sums (struct call_span, level 0).
 */
struct cell_paths {
	const struct view_sources *sources;
	const struct call_sums *calls;
	uint32_t number; /* the wanted thread */
	const struct call_path *paths;
	uint32_t count; /* number of paths */
	/* by part of the profile, and within it by path; NULL until a cell is
	 * added
	 */
	struct path_sum *sums;
};

/* Returns sums without any cell, for thread @number or for all
 * (THREAD_NUMBER_NONE); NULL when out of memory. Borrows @sources.
 */
static struct cell_paths *cell_paths_new(const struct view_sources *sources,
					 uint32_t number)
{
	struct cell_paths *cells = calloc(1, sizeof(*cells));

	if (!cells)
		return NULL;
	cells->sources = sources;
	cells->calls = sources->summary->calls;
	cells->number = number;
	cells->paths = call_sums_paths(cells->calls, &cells->count);
	return cells;
}

static void cell_paths_free(struct cell_paths *cells)
{
	if (!cells)
		return;
	free(cells->sums);
	free(cells);
}

/* Adds a frame to the sums of @part. */
static int add_frame(struct cell_paths *cells, const struct call_frame *frame,
		     uint32_t part)
{
	const struct call_sum *sums;
	struct path_sum *to;
	struct array read;
	int status;

	/* The file is untrusted. */
	if (part >= PROFILE_PARTS)
		return -ERROR_FORMAT;
	to = &cells->sums[(size_t)part * cells->count];
	status = call_sums_read(cells->calls, frame, &read);
	sums = read.items;
	for (size_t i = 0; i < read.count && !status; i++) {
		to[sums[i].path].self_ns += sums[i].self_ns;
		to[sums[i].path].calls += sums[i].calls;
		to[sums[i].path].is_used = true;
	}
	array_free(&read);
	return status;
}

/* Adds the frames of @span that belong to the wanted thread, or to all if none
 * is chosen.
 */
static int add_span(struct cell_paths *cells, const struct call_span *span,
		    bool is_cell)
{
	const struct call_frame *frames = span->frames.items;
	int status = 0;

	for (size_t i = 0; i < span->frames.count && !status; i++) {
		uint32_t owner = frames[i].owner;

		if (cells->number != THREAD_NUMBER_NONE) {
			if (owner == cells->number)
				status = add_frame(cells, &frames[i],
						   PROFILE_WORK);
		} else if (is_cell) {
			status = add_frame(cells, &frames[i],
					   call_sums_part(cells->calls, owner));
		} else if (owner >= CALL_OWNER_PART) {
			status = add_frame(cells, &frames[i],
					   owner - CALL_OWNER_PART);
		}
	}
	return status;
}

/* Adds the cells from @first up to, but not including, @last, in spans as large
 * as possible.
 */
static int add_cells(struct cell_paths *cells, size_t first, size_t last)
{
	int status = 0;

	if (!cells->sums)
		cells->sums = calloc((size_t)cells->count * PROFILE_PARTS,
				     sizeof(*cells->sums));
	if (!cells->sums)
		return -ERROR_MEMORY;
	while (first < last && !status) {
		size_t covered;
		uint32_t level = call_sums_largest(cells->calls, first, last,
						   false, CALL_LEVELS_MOST,
						   &covered);

		status = add_span(cells,
				  call_sums_span(cells->calls, level,
						 first / covered),
				  !level);
		first += covered;
	}
	return status;
}

/* Returns whether @window includes all traced time between @begin_ns and
 * @end_ns. There is none before the trace's start and after its end.
 */
static bool is_within(const struct view_summary *summary, uint64_t begin_ns,
		      uint64_t end_ns, struct time_window window)
{
	return (begin_ns >= window.since_ns ||
		window.since_ns <= summary->begin_ns) &&
	       (end_ns <= window.until_ns ||
		window.until_ns >= summary->last_ns);
}

static bool is_wanted(const struct cell_paths *cells,
		      const struct call_span *cell, struct time_window window,
		      bool grows)
{
	return grows ? cell->end_ns > window.since_ns &&
			       cell->begin_ns < window.until_ns :
		       is_within(cells->sources->summary, cell->begin_ns,
				 cell->end_ns, window);
}

/* Adds the cells that are in @window; with @grows, also those that overlap it.
 * Sets *@whole to the time that they cover; it is empty, at the window's start,
 * if there are none.
 *
 * Returns 0 or a negative enum error.
 */
static int cell_paths_add(struct cell_paths *cells, struct time_window window,
			  bool grows, struct time_window *whole)
{
	const struct call_sums *calls = cells->calls;
	size_t count = call_sums_spans(calls, 0);
	size_t first = 0;
	size_t last;

	*whole = (struct time_window){ window.since_ns, window.since_ns };
	while (first < count &&
	       !is_wanted(cells, call_sums_span(calls, 0, first), window,
			  grows))
		first++;
	last = first;
	while (last < count &&
	       is_wanted(cells, call_sums_span(calls, 0, last), window, grows))
		last++;
	if (first == last)
		return 0;
	whole->since_ns = call_sums_span(calls, 0, first)->begin_ns;
	whole->until_ns = call_sums_span(calls, 0, last - 1)->end_ns;
	return add_cells(cells, first, last);
}

/* Marks the callers of used paths as used. */
static void mark_callers(const struct cell_paths *cells, struct path_sum *sums)
{
	for (uint32_t i = cells->count; i-- > 1;)
		if (sums[i].is_used)
			sums[cells->paths[i].parent].is_used = true;
}

/* Context for adding sums to a tree. */
struct showing {
	const struct cell_paths *cells;
	const struct profile_scope *scope;
	struct call_tree *tree;
	uint64_t *time_ns;    /* by part of the profile */
	struct place *places; /* struct place by path */
};

/* A path's node in the tree; for a hidden path, its caller's. */
struct place {
	uint32_t node;
	enum profile_part part;
};

static struct place place_of(const struct showing *showing, uint32_t path)
{
	const struct call_path *called = &showing->cells->paths[path];
	const struct place *caller = &showing->places[called->parent];
	struct place place = *caller;

	place.part = profile_part_of_call(showing->scope->kinds,
					  called->function,
					  called->ends_interrupt, caller->part);
	if (showing->scope->shows[place.part])
		place.node = call_tree_child(showing->tree, caller->node,
					     called->function, false);
	return place;
}

/* Adds the sums of the tasks of one part. Returns false when out of memory. */
static bool show_part(const struct showing *showing, enum profile_part part)
{
	struct path_sum *sums =
		&showing->cells->sums[(size_t)part * showing->cells->count];

	mark_callers(showing->cells, sums);
	for (uint32_t i = 0; i < showing->cells->count; i++) {
		struct place *place = &showing->places[i];

		if (!sums[i].is_used)
			continue;
		*place = i ? place_of(showing, i) :
			     (struct place){
				     call_tree_root(showing->tree, -1),
				     part,
			     };
		if (place->node == CALL_NODE_NONE)
			return false;
		showing->time_ns[place->part] += sums[i].self_ns;
		if (!showing->scope->shows[place->part])
			continue;
		call_tree_at(showing->tree, place->node)->self_ns +=
			sums[i].self_ns;
		call_tree_add_calls(
			showing->tree, place->node,
			&(struct call_counts){ .direct = sums[i].calls }, 0);
	}
	return true;
}

/* Adds to @tree, below a root for all threads, the added paths that @scope
 * shows; a chosen thread counts as PROFILE_WORK. The parent of a function whose
 * caller is hidden is its nearest shown caller. Adds the time of each part,
 * shown or not, to @time_ns.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int cell_paths_show(struct cell_paths *cells,
			   const struct profile_scope *scope,
			   struct call_tree *tree,
			   uint64_t time_ns[PROFILE_PARTS])
{
	struct showing showing = {
		.cells = cells,
		.scope = scope,
		.tree = tree,
		.time_ns = time_ns,
		.places = calloc((size_t)cells->count + 1,
				 sizeof(*showing.places)),
	};
	bool is_whole = showing.places;

	for (int i = 0; i < PROFILE_PARTS && cells->sums && is_whole; i++)
		is_whole = show_part(&showing, (enum profile_part)i);
	free(showing.places);
	return is_whole ? 0 : -ERROR_MEMORY;
}

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

static int add_selected_cells(const struct view_sources *sources,
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
	int status = add_selected_cells(sources, selection, !decodes, &whole);

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

/* Sums up the calls in the window, of one thread or all, that the scope shows:
 * whole cells of the summary, and the rest at the window's ends by decoding. If
 * decoding is not possible yet, sets the window to the whole cells that overlap
 * it.
 *
 * Returns 0 with the tree, which the caller frees, and the times; or a negative
 * enum error.
 */
static int selection_tree(const struct view_sources *sources,
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

/* Nodes too small for any flame graph are left out of the tree, and lines
 * beyond this number out of the table; the answer reports both.
 */
enum { SMALLEST_PART = 4000, FUNCTIONS_MOST = 20000 };

struct profile_answer {
	const struct call_tree *tree;
	const uint64_t *totals; /* by node */
	struct answer_names named;
	struct json_out *json;
};

static bool is_small(const struct profile_answer *answer, uint32_t node,
		     uint64_t all_ns)
{
	return answer->totals[node] <= all_ns / SMALLEST_PART &&
	       call_tree_at(answer->tree, node)->parent != CALL_NODE_NONE;
}

static void write_node(struct profile_answer *answer, uint32_t parent,
		       uint32_t index)
{
	const struct call_node *node = call_tree_at(answer->tree, index);
	const struct call_counts calls = call_tree_calls(answer->tree, index);

	json_signed(answer->json, (int32_t)parent);
	json_signed(answer->json, (int32_t)node->function);
	json_number(answer->json, call_counts_calls(&calls));
	json_number(answer->json, node->self_ns);
	json_number(answer->json, answer->totals[index]);
	answer_names_add(&answer->named, node->function);
}

/* Writes the member "tree": parent's number (-1: none), function, calls, self
 * and total time of each node; parents come first.
 */
static int write_tree(struct profile_answer *answer)
{
	uint32_t count = call_tree_count(answer->tree);
	uint32_t *numbers = calloc(count + 1, sizeof(*numbers));
	uint64_t all_ns = count ? answer->totals[0] : 0;
	uint32_t written = 0;

	if (!numbers)
		return -ERROR_MEMORY;
	json_key(answer->json, "tree");
	json_begin(answer->json, "[]");
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = call_tree_at(answer->tree, i)->parent;

		if (is_small(answer, i, all_ns))
			continue;
		numbers[i] = written++;
		write_node(answer,
			   parent == CALL_NODE_NONE ? CALL_NODE_NONE :
						      numbers[parent],
			   i);
	}
	json_end(answer->json, "[]");
	json_member_number(answer->json, "left_out", count - written);
	free(numbers);
	return 0;
}

/* Writes the member "flat": function, calls, self and total time. */
static int write_flat(struct profile_answer *answer)
{
	struct function_profile flat;
	uint32_t *order;

	if (function_profile_make(answer->tree,
				  function_count(answer->named.functions),
				  &flat) < 0)
		return -ERROR_MEMORY;
	order = function_profile_by_self(&flat);
	json_key(answer->json, "flat");
	json_begin(answer->json, "[]");
	for (size_t i = 0; order && i < flat.row_count && i < FUNCTIONS_MOST;
	     i++) {
		const struct function_row *row = &flat.rows[order[i]];

		json_number(answer->json, row->function);
		json_number(answer->json, call_counts_calls(&row->calls));
		json_number(answer->json, row->self_ns);
		json_number(answer->json, row->total_ns);
		answer_names_add(&answer->named, row->function);
	}
	json_end(answer->json, "[]");
	json_member_number(answer->json, "function_count", flat.row_count);
	json_member_number(answer->json, "self_ns", flat.self_ns);
	function_profile_free(&flat);
	free(order);
	return order ? 0 : -ERROR_MEMORY;
}

static int write_profile(const struct view_sources *sources,
			 const struct call_tree *tree, struct json_out *json)
{
	uint64_t *totals = call_tree_totals(tree);
	struct profile_answer answer = {
		.tree = tree,
		.totals = totals,
		.json = json,
	};
	int status = answer_names_init(&answer.named, sources->functions);

	if (!status && !totals)
		status = -ERROR_MEMORY;
	if (!status)
		status = write_flat(&answer);
	if (!status)
		status = write_tree(&answer);
	if (!status)
		answer_names_write(&answer.named, json);
	answer_names_free(&answer.named);
	free(totals);
	return status;
}

/* Parses the selection. Returns whether it is valid. */
static bool read_selection(const struct view_sources *sources,
			   const struct view_request *request,
			   struct view_selection *selection)
{
	uint64_t with_idle;
	uint64_t with_tracer;

	if (!request_window(request, sources->summary, &selection->window) ||
	    !request_thread(request, sources->summary, &selection->number) ||
	    !request_number(request, "with_idle", 1, 0, &with_idle) ||
	    !request_number(request, "with_tracer", 1, 0, &with_tracer))
		return false;
	selection->scope = (struct profile_scope){
		.kinds = sources->kinds,
		.shows = {
			[PROFILE_WORK] = true,
			[PROFILE_IDLE] = with_idle,
			[PROFILE_TRACER] = with_tracer,
		},
	};
	return true;
}

/* Writes the start and end of the selection, and the time of each part, shown
 * or not.
 */
static void write_selection(const struct view_selection *selection,
			    uint64_t first_ns, struct json_out *json)
{
	const struct time_window *window = &selection->window;

	json_member_signed(json, "from",
			   (int64_t)(window->since_ns - first_ns));
	json_member_signed(json, "to", (int64_t)(window->until_ns - first_ns));
	json_key(json, "part_ns");
	json_begin(json, "[]");
	for (int i = 0; i < PROFILE_PARTS; i++)
		json_number(json, selection->part_ns[i]);
	json_end(json, "[]");
}

enum view_status answer_profile(const struct view_sources *sources,
				const struct view_request *request,
				struct json_out *json)
{
	struct view_selection selection;
	int status;

	if (!read_selection(sources, request, &selection))
		return VIEW_BAD;
	if (selection_tree(sources, &selection) < 0)
		return VIEW_FAILED;
	write_selection(&selection, sources->summary->first_ns, json);
	status = write_profile(sources, selection.tree, json);
	call_tree_free(selection.tree);
	return status < 0 ? VIEW_FAILED : VIEW_OK;
}
