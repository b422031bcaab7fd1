/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "report/profile/profile.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "view/answer/answer.h"
#include "view/answer/answer_json_internal.h"
#include "view/answer/path_profile_internal.h"
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
	struct path_profile *profile;
};

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

static bool is_wanted(const struct view_summary *summary,
		      const struct call_span *cell, struct time_window window,
		      bool grows)
{
	return grows ? cell->end_ns > window.since_ns &&
			       cell->begin_ns < window.until_ns :
		       is_within(summary, cell->begin_ns, cell->end_ns, window);
}

/* Adds the cells that are in the window; with @grows, also the cells that
 * overlap it. Sets *@whole to the time that the added cells cover; without any
 * cell, to an empty window at the window's start.
 *
 * Returns 0 or a negative enum error.
 */
static int add_cells(struct view_selection *selection, bool grows,
		     struct time_window *whole)
{
	const struct view_summary *summary =
		selection->profile->sources->summary;
	const struct call_sums *calls = summary->calls;
	const struct time_window window = selection->window;
	size_t count = call_sums_spans(calls, 0);
	size_t first = 0;
	size_t last;

	*whole = (struct time_window){ window.since_ns, window.since_ns };
	while (first < count &&
	       !is_wanted(summary, call_sums_span(calls, 0, first), window,
			  grows))
		first++;
	last = first;
	while (last < count &&
	       is_wanted(summary, call_sums_span(calls, 0, last), window,
			 grows))
		last++;
	if (first == last)
		return 0;
	whole->since_ns = call_sums_span(calls, 0, first)->begin_ns;
	whole->until_ns = call_sums_span(calls, 0, last - 1)->end_ns;
	return path_profile_add_cells(selection->profile, selection->number,
				      first, last);
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
	if (!status)
		status = path_profile_add_tree(selection->profile,
					       profile_tree(profile),
					       profile_part_times(profile));
	profile_free(profile);
	return status;
}

static int add_all(const struct view_sources *sources,
		   struct view_selection *selection)
{
	bool decodes = sources->engine && sources->summary->is_complete;
	const struct time_window wanted = selection->window;
	struct time_window whole;
	int status = add_cells(selection, !decodes, &whole);

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

/* Nodes too small for any flame graph are left out of the tree, and lines
 * beyond this number out of the table; the answer reports both.
 */
enum { SMALLEST_PART = 4000, FUNCTIONS_MOST = 20000 };

/* Sums up the calls in the window, of one thread or all, that the scope shows:
 * whole cells of the summary, and the rest at the window's ends by decoding. If
 * decoding is not possible yet, sets the window to the whole cells that overlap
 * it.
 *
 * Returns 0 or a negative enum error; the caller frees the profile.
 */
static int sum_up(const struct view_sources *sources,
		  struct view_selection *selection)
{
	int status = -ERROR_MEMORY;

	selection->profile = path_profile_new(sources, &selection->scope);
	if (selection->profile)
		status = add_all(sources, selection);
	if (!status)
		status = path_profile_sum_up(selection->profile);
	if (!status)
		status = path_profile_make_nodes(selection->profile,
						 SMALLEST_PART);
	return status;
}

/* Writes the member "tree": parent's number (-1: none), function, calls, self
 * and total time of each node; parents come first.
 */
static void write_tree(const struct path_profile *profile,
		       struct answer_names *named, struct json_out *json)
{
	json_key(json, "tree");
	json_begin(json, "[]");
	for (size_t i = 0; i < profile->nodes.count; i++) {
		const struct path_node *node = array_at(&profile->nodes, i);

		json_signed(json, (int32_t)node->parent);
		json_signed(json, (int32_t)node->function);
		json_number(json, node->calls);
		json_number(json, node->self_ns);
		json_number(json, node->total_ns);
		answer_names_add(named, node->function);
	}
	json_end(json, "[]");
	json_member_number(json, "left_out", profile->left_out);
}

/* A line of the table: a function that ran. */
struct flat_row {
	uint64_t self_ns;
	uint64_t calls;
	uint32_t function;
};

/* Writes the member "flat": function, calls, self and total time. */
static int write_flat(const struct path_profile *profile,
		      struct answer_names *named, struct json_out *json)
{
	const struct function_sum *functions = profile->functions;
	struct array rows = ARRAY_OF(struct flat_row);
	int status = 0;

	for (uint32_t i = 0; i < profile->function_count && !status; i++)
		if (functions[i].is_used)
			status = array_append(
				&rows,
				&(struct flat_row){ functions[i].self_ns,
						    functions[i].calls, i });
	array_sort_by(&rows, KEYS(FALLING(struct flat_row, self_ns),
				  FALLING(struct flat_row, calls),
				  RISING(struct flat_row, function)));
	json_key(json, "flat");
	json_begin(json, "[]");
	for (size_t i = 0; i < rows.count && i < FUNCTIONS_MOST; i++) {
		const struct flat_row *row = array_at(&rows, i);

		json_number(json, row->function);
		json_number(json, row->calls);
		json_number(json, row->self_ns);
		json_number(json, functions[row->function].total_ns);
		answer_names_add(named, row->function);
	}
	json_end(json, "[]");
	json_member_number(json, "function_count", rows.count);
	json_member_number(json, "self_ns", profile->self_ns);
	array_free(&rows);
	return status;
}

static int write_profile(const struct path_profile *profile,
			 struct json_out *json)
{
	struct answer_names named;
	int status = answer_names_init(&named, profile->sources->functions);

	if (!status)
		status = write_flat(profile, &named, json);
	if (!status)
		write_tree(profile, &named, json);
	if (!status)
		answer_names_write(&named, json);
	answer_names_free(&named);
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
		json_number(json, selection->profile->part_ns[i]);
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
	status = sum_up(sources, &selection);
	if (!status) {
		write_selection(&selection, sources->summary->first_ns, json);
		status = write_profile(selection.profile, json);
	}
	path_profile_free(selection.profile);
	return status < 0 ? VIEW_FAILED : VIEW_OK;
}
