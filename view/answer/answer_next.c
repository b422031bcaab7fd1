/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "symbolize/functions/function_table.h"
#include "view/answer/answers.h"
#include "view/answer/request.h"
#include "view/data/call_sums.h"
#include "view/data/slice_store.h"
#include "view/make/thread_numbers.h"

#include <stdlib.h>

/* A search for the next call of a function, or the one before. */
struct call_search {
	struct step_callback callback;
	const struct view_sources *sources;
	struct thread_numbers numbers;
	uint32_t function;
	uint32_t number; /* the thread; or none: any */
	bool is_back;
	struct time_window window; /* in which it begins */
	bool *is_wanted;	   /* by place: a call of it */
	bool has_found;
	struct view_slice found;
};

static bool is_wanted(struct call_search *search, const struct call_step *step,
		      uint32_t *number)
{
	if (step->kind != STEP_ENTER || step->function != search->function ||
	    step->how == HOW_INFERRED ||
	    !time_window_has(search->window, step->time_ns) ||
	    (search->has_found && !search->is_back))
		return false;
	*number = thread_numbers_find(&search->numbers, step->task);
	return *number != THREAD_NUMBER_NONE &&
	       (search->number == THREAD_NUMBER_NONE ||
		search->number == *number);
}

static void take(struct step_callback *callback, const struct call_step *step)
{
	struct call_search *search = (struct call_search *)callback;
	uint32_t number;

	if (!is_wanted(search, step, &number))
		return;
	search->has_found = true;
	search->found = (struct view_slice){
		.begin_ns = step->time_ns,
		.lane = lane_of(LANE_STACK, number),
		.depth = step->depth,
	};
}

static bool is_done(const struct step_callback *callback, uint64_t time_ns)
{
	const struct call_search *search = (const struct call_search *)callback;

	return time_ns >= search->window.until_ns ||
	       (search->has_found && !search->is_back);
}

/* Marks the places of the function's calls by the wanted thread. */
static int mark_places(struct call_search *search)
{
	const struct call_sums *calls = search->sources->summary->calls;
	uint32_t count = call_sums_places(calls);
	uint32_t *threads = calloc(count + 1, sizeof(*threads));

	search->is_wanted = calloc(count + 1, sizeof(*search->is_wanted));
	for (uint32_t i = 0; threads && search->is_wanted && i < count; i++) {
		struct call_place place = call_sums_place(calls, i);
		bool is_root = place.parent == CALL_PLACE_NONE;

		threads[i] = is_root ? place.function : threads[place.parent];
		search->is_wanted[i] = !is_root &&
				       place.function == search->function &&
				       (search->number == THREAD_NUMBER_NONE ||
					search->number == threads[i]);
	}
	free(threads);
	return threads && search->is_wanted ? 0 : -ERROR_MEMORY;
}

/* Returns 1 if the part has a call that is wanted, 0 if not, or a negative enum
 * error.
 */
static int has_call(const struct call_search *search, size_t index)
{
	struct call_part_sums part;
	int status =
		call_sums_read(search->sources->summary->calls, index, &part);
	const struct call_sum *sums = part.sums.items;

	for (size_t i = 0; i < part.sums.count && !status; i++)
		status = sums[i].calls && search->is_wanted[sums[i].place];
	array_free(&part.sums);
	return status;
}

/* Looks in the part for a call that begins in @window. */
static int look(struct call_search *search, size_t index,
		struct time_window window)
{
	struct view_engine *engine = search->sources->engine;
	uint64_t begin_ns;
	uint64_t end_ns;
	int status;

	call_sums_when(search->sources->summary->calls, index, &begin_ns,
		       &end_ns);
	search->window = (struct time_window){
		begin_ns > window.since_ns ? begin_ns : window.since_ns,
		end_ns < window.until_ns ? end_ns : window.until_ns,
	};
	if (search->window.since_ns >= search->window.until_ns)
		return 0;
	status = has_call(search, index);
	return status <= 0 ?
		       status :
		       engine->run(engine, search->window, &search->callback);
}

static int search_parts(struct call_search *search, struct time_window window)
{
	size_t count = call_sums_parts(search->sources->summary->calls);
	int status = 0;

	for (size_t i = 0; i < count && !status && !search->has_found; i++)
		status = look(search, search->is_back ? count - 1 - i : i,
			      window);
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
	json_member_number(json, "thread", search->found.lane / LANE_KINDS);
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
		status = mark_places(search);
	if (!status)
		status = search_parts(search, window);
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
		.callback = { .take = take, .is_done = is_done },
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
