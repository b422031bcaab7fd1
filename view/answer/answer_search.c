/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "report/text/function_label.h"
#include "symbolize/functions/function_table.h"
#include "view/answer/answer.h"
#include "view/answer/answer_json_internal.h"
#include "view/answer/path_profile_internal.h"
#include "view/data/call_sums.h"
#include "view/data/slice_store.h"
#include "view/make/thread_numbers.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 50, LIKE_BYTES = 128 };

/* Returns how well @name matches @like: 3 exactly, 2 as its prefix, 1 as its
 * substring, 0 not at all.
 */
static int fit_name(const char *name, const char *like)
{
	const char *at = strstr(name, like);

	if (!at)
		return 0;
	if (at != name)
		return 1;
	return name[strlen(like)] ? 2 : 3;
}

/* Returns how well the best of @function's names matches. */
static int fit(const struct function *function, const char *like)
{
	const char *const names[] = {
		function->name,
		function->base,
		function_symbol(function),
	};
	char *full = function->demangled ? function_full_name(function) : NULL;
	int best = full ? fit_name(full, like) : 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int found = fit_name(names[i], like);

		if (found > best)
			best = found;
	}
	free(full);
	return best;
}

#define NEVER_RAN UINT64_MAX

/* Returns each function's time with its callees in the whole recording, by
 * number, or NEVER_RAN; the caller frees it. NULL when out of memory, or if the
 * sums cannot be read.
 */
static uint64_t *function_times(const struct view_sources *sources)
{
	const struct call_sums *calls = sources->summary->calls;
	struct path_profile *profile = path_profile_new(sources, NULL);
	uint64_t *total_ns = NULL;

	if (profile &&
	    !path_profile_add_cells(profile, THREAD_NUMBER_NONE, 0,
				    call_sums_spans(calls, 0)) &&
	    !path_profile_sum_up(profile))
		total_ns = calloc((size_t)profile->function_count + 1,
				  sizeof(*total_ns));
	for (uint32_t i = 0; total_ns && i < profile->function_count; i++)
		total_ns[i] = profile->functions[i].is_used ?
				      profile->functions[i].total_ns :
				      NEVER_RAN;
	path_profile_free(profile);
	return total_ns;
}

/* A function that ran and whose name fits. */
struct found_function {
	uint32_t function;
	bool is_exact;
	uint64_t total_ns;
};

static int compare_found(const void *a, const void *b)
{
	const struct found_function *left = a;
	const struct found_function *right = b;

	if (left->is_exact != right->is_exact)
		return left->is_exact ? -1 : 1;
	if (left->total_ns != right->total_ns)
		return left->total_ns < right->total_ns ? 1 : -1;
	return (left->function > right->function) -
	       (left->function < right->function);
}

/* Writes the functions that fit: exact names first, then by time. */
static int write_functions(const struct view_sources *sources,
			   const uint64_t *total_ns, const char *like,
			   struct answer_names *named, struct json_out *json)
{
	struct array all = ARRAY_OF(struct found_function);
	int status = 0;

	for (uint32_t i = 0; i < function_count(sources->functions); i++) {
		int how = total_ns[i] == NEVER_RAN ?
				  0 :
				  fit(function_at(sources->functions, i), like);

		if (how && !status)
			status = array_append(
				&all, &(struct found_function){ i, how == 3,
								total_ns[i] });
	}
	array_sort(&all, compare_found);
	json_key(json, "found");
	json_begin(json, "[]");
	for (size_t i = 0; i < all.count && i < SHOWN; i++) {
		const struct found_function *found = array_at(&all, i);

		json_begin(json, "[]");
		json_number(json, found->function);
		json_number(json, found->total_ns);
		json_end(json, "[]");
		answer_names_add(named, found->function);
	}
	json_end(json, "[]");
	json_member_number(json, "count", all.count);
	array_free(&all);
	return status;
}

enum view_status answer_functions(const struct view_sources *sources,
				  const struct view_request *request,
				  struct json_out *json)
{
	const char *like = request->argument(request, "like");
	struct answer_names named;
	uint64_t *total_ns;
	int status = -ERROR_MEMORY;

	if (!like || !*like || strlen(like) > LIKE_BYTES)
		return VIEW_BAD;
	if (answer_names_init(&named, sources->functions) < 0)
		return VIEW_FAILED;
	total_ns = sources->summary->function_ns;
	if (!total_ns)
		total_ns = function_times(sources);
	if (sources->summary->is_complete)
		sources->summary->function_ns = total_ns;
	if (total_ns)
		status = write_functions(sources, total_ns, like, &named, json);
	if (!status)
		answer_names_write(&named, json);
	answer_names_free(&named);
	if (!sources->summary->is_complete)
		free(total_ns);
	return status < 0 ? VIEW_FAILED : VIEW_OK;
}

/* A search for the next or previous call of a function. */
struct call_search {
	struct step_callback callback;
	const struct view_sources *sources;
	struct thread_numbers numbers;
	uint32_t function;
	/* number of the thread, or THREAD_NUMBER_NONE for any */
	uint32_t number;
	bool is_back;
	struct time_window window; /* window in which the call starts */
	bool *is_wanted; /* by path: whether it ends in the function */
	bool has_found;
	struct view_slice found;
};

static bool is_wanted(struct call_search *search, const struct call_step *step,
		      uint32_t *number)
{
	if (step->kind != STEP_ENTER || step->function != search->function ||
	    !call_how_is_call(step->how) ||
	    !time_window_has(search->window, step->time_ns) ||
	    (search->has_found && !search->is_back))
		return false;
	*number = thread_numbers_find(&search->numbers, step->task);
	return *number != THREAD_NUMBER_NONE &&
	       (search->number == THREAD_NUMBER_NONE ||
		search->number == *number);
}

static void consume(struct step_callback *callback,
		    const struct call_step *step)
{
	struct call_search *search = (struct call_search *)callback;
	uint32_t number;

	if (!is_wanted(search, step, &number))
		return;
	search->has_found = true;
	search->found = (struct view_slice){
		.begin_ns = step->time_ns,
		.track = track_of(TRACK_STACK, number),
		.depth = step->depth,
	};
}

static bool is_done(const struct step_callback *callback, uint64_t time_ns)
{
	const struct call_search *search = (const struct call_search *)callback;

	return time_ns >= search->window.until_ns ||
	       (search->has_found && !search->is_back);
}

/* Marks the paths that end in the function. */
static int mark_paths(struct call_search *search)
{
	uint32_t count;
	const struct call_path *paths =
		call_sums_paths(search->sources->summary->calls, &count);

	search->is_wanted = calloc(count, sizeof(*search->is_wanted));
	if (!search->is_wanted)
		return -ERROR_MEMORY;
	for (uint32_t i = 1; i < count; i++)
		search->is_wanted[i] = paths[i].function == search->function;
	return 0;
}

/* Returns 1 if the frame has a wanted call, 0 if not, or a negative enum error.
 */
static int frame_has_call(const struct call_search *search,
			  const struct call_frame *frame)
{
	const struct call_sum *sums;
	struct array read;
	int status =
		call_sums_read(search->sources->summary->calls, frame, &read);

	sums = read.items;
	for (size_t i = 0; i < read.count && !status; i++)
		status = sums[i].calls && search->is_wanted[sums[i].path];
	array_free(&read);
	return status;
}

/* Like frame_has_call(), for a span of @level. */
static int has_call(const struct call_search *search,
		    const struct call_span *span, uint32_t level)
{
	const struct call_frame *frames = span->frames.items;
	int status = 0;

	for (size_t i = 0; i < span->frames.count && !status; i++) {
		bool is_part = frames[i].owner >= CALL_OWNER_PART;

		if (search->number == THREAD_NUMBER_NONE ?
			    is_part == (level > 0) :
			    frames[i].owner == search->number)
			status = frame_has_call(search, &frames[i]);
	}
	return status;
}

/* Decodes a cell to find a call that starts in @window. */
static int look(struct call_search *search, const struct call_span *cell,
		struct time_window window)
{
	struct view_engine *engine = search->sources->engine;

	search->window = window;
	if (window.since_ns < cell->begin_ns)
		search->window.since_ns = cell->begin_ns;
	if (window.until_ns > cell->end_ns)
		search->window.until_ns = cell->end_ns;
	return engine->run(engine, search->window, &search->callback);
}

/* The cells yet to be searched, from next to last, forwards or backwards, in
 * spans of levels up to most_level.
 */
struct cell_range {
	size_t next;
	size_t last;
	uint32_t most_level;
};

/* Searches the next span: skips it if it has no call of the function; decodes
 * it if it is a cell; else continues with its smaller spans. Returns 0 or a
 * negative enum error.
 */
static int search_span(struct call_search *search, struct cell_range *range,
		       struct time_window window)
{
	const struct call_sums *calls = search->sources->summary->calls;
	bool is_back = search->is_back;
	const struct call_span *span;
	size_t cells;
	uint32_t level = call_sums_largest(calls, range->next, range->last,
					   is_back, range->most_level, &cells);
	int status;

	span = call_sums_span(calls, level,
			      (range->next - (is_back ? 1 : 0)) / cells);
	status = has_call(search, span, level);
	if (status > 0 && level) {
		range->most_level = level - 1;
		return 0;
	}
	range->next = is_back ? range->next - cells : range->next + cells;
	range->most_level = CALL_LEVELS_MOST;
	return status > 0 ? look(search, span, window) : status;
}

/* Returns the cells that overlap @window; cells are in order of time. */
static struct cell_range range_of(const struct call_search *search,
				  struct time_window window)
{
	const struct call_sums *calls = search->sources->summary->calls;
	size_t last = call_sums_spans(calls, 0);
	size_t first = 0;

	while (first < last &&
	       call_sums_span(calls, 0, first)->end_ns <= window.since_ns)
		first++;
	while (last > first &&
	       call_sums_span(calls, 0, last - 1)->begin_ns >= window.until_ns)
		last--;
	return search->is_back ?
		       (struct cell_range){ last, first, CALL_LEVELS_MOST } :
		       (struct cell_range){ first, last, CALL_LEVELS_MOST };
}

static int search_cells(struct call_search *search, struct time_window window)
{
	struct cell_range range = range_of(search, window);
	int status = 0;

	while (range.next != range.last && !status && !search->has_found)
		status = search_span(search, &range, window);
	return status;
}

static void write_found(const struct call_search *search, struct json_out *json)
{
	json_member_bool(json, "found", search->has_found);
	if (!search->has_found)
		return;
	json_member_number(json, "at",
			   search->found.begin_ns -
				   search->sources->summary->first_ns);
	json_member_number(json, "thread", search->found.track / TRACK_KINDS);
	json_member_number(json, "depth", search->found.depth);
}

static enum view_status run_search(struct call_search *search, uint64_t from,
				   struct json_out *json)
{
	struct view_summary *summary = search->sources->summary;
	uint64_t at_ns = summary->first_ns + from;
	struct time_window window = { at_ns + 1, UINT64_MAX };
	int status = thread_numbers_init(&search->numbers, summary, false);

	if (search->is_back)
		window = (struct time_window){ 0, at_ns };
	if (!status)
		status = mark_paths(search);
	if (!status)
		status = search_cells(search, window);
	thread_numbers_free(&search->numbers);
	free(search->is_wanted);
	if (status < 0)
		return VIEW_FAILED;
	write_found(search, json);
	return VIEW_OK;
}

enum view_status answer_next(const struct view_sources *sources,
			     const struct view_request *request,
			     struct json_out *json)
{
	uint32_t count = function_count(sources->functions);
	struct call_search search = {
		.callback = { .consume = consume, .is_done = is_done },
		.sources = sources,
	};
	uint64_t function;
	uint64_t from;
	uint64_t back;

	if (!request_number(request, "function", count - 1, UINT64_MAX,
			    &function) ||
	    function >= count ||
	    !request_number(request, "from", UINT64_MAX / 4, 0, &from) ||
	    !request_number(request, "back", 1, 0, &back) ||
	    !request_thread(request, sources->summary, &search.number))
		return VIEW_BAD;
	search.function = (uint32_t)function;
	search.is_back = back;
	if (!sources->engine || !sources->summary->is_complete) {
		json_member_bool(json, "found", false);
		json_member_bool(json, "is_waiting", true);
		return VIEW_OK;
	}
	return run_search(&search, from, json);
}

enum view_status answer_annotate(const struct view_sources *sources,
				 const struct view_request *request,
				 struct json_out *json)
{
	uint32_t count = function_count(sources->functions);
	struct time_window window;
	uint64_t function;
	char *text = NULL;
	size_t size;
	FILE *out;
	int status;

	if (!request_number(request, "function", count - 1, UINT64_MAX,
			    &function) ||
	    function >= count ||
	    !request_window(request, sources->summary, &window))
		return VIEW_BAD;
	if (!sources->engine || !sources->summary->is_complete) {
		json_member_bool(json, "is_waiting", true);
		return VIEW_OK;
	}
	out = open_memstream(&text, &size);
	if (!out)
		return VIEW_FAILED;
	status = sources->engine->annotate(sources->engine,
					   function_text(sources->functions,
							 (uint32_t)function),
					   window, out);
	if (fclose(out) == EOF)
		status = -ERROR_MEMORY;
	if (!status)
		json_member_value(json, "annotation", text);
	free(text);
	return status < 0 ? VIEW_FAILED : VIEW_OK;
}

enum view_status answer_explain(const struct view_sources *sources,
				const struct view_request *request,
				struct json_out *json)
{
	const struct view_summary *summary = sources->summary;
	const struct view_thread *thread;
	struct time_window window;
	uint32_t number;
	char *text = NULL;
	int32_t tid = 0;
	int status;

	if (!request_window(request, summary, &window) ||
	    !request_thread(request, summary, &number))
		return VIEW_BAD;
	if (number != THREAD_NUMBER_NONE) {
		thread = array_at(&summary->threads, number);
		if (thread->tid <= 0)
			return VIEW_BAD;
		tid = thread->tid;
	}
	if (!sources->engine || !summary->is_complete) {
		json_member_bool(json, "is_waiting", true);
		return VIEW_OK;
	}
	status = sources->engine->explain(sources->engine, window, tid, &text);
	if (!status)
		json_member_value(json, "explanation", text);
	free(text);
	return status < 0 ? VIEW_FAILED : VIEW_OK;
}
