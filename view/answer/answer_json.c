/* SPDX-License-Identifier: MIT */
#include "view/answer/answer_json_internal.h"

#include "common/error.h"
#include "symbolize/functions/function_table.h"
#include "view/answer/json_out_internal.h"
#include "view/data/summary.h"
#include "view/make/thread_numbers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int answer_names_init(struct answer_names *named,
		      const struct function_table *functions)
{
	named->functions = functions;
	named->is_named =
		calloc(function_count(functions) + 1, sizeof(*named->is_named));
	return named->is_named ? 0 : -ERROR_MEMORY;
}

void answer_names_free(struct answer_names *named)
{
	free(named->is_named);
}

void answer_names_add(struct answer_names *named, uint32_t function)
{
	if (function < function_count(named->functions))
		named->is_named[function] = true;
}

static void write_full_name(const struct function *function,
			    struct json_out *json)
{
	char *full = function_full_name(function);

	json_text(json, full ? full : function->name);
	free(full);
}

void answer_names_write(const struct answer_names *named, struct json_out *json)
{
	char number[16];

	json_key(json, "functions");
	json_begin(json, "{}");
	for (uint32_t i = 0; i < function_count(named->functions); i++) {
		const struct function *function;

		if (!named->is_named[i])
			continue;
		function = function_at(named->functions, i);
		snprintf(number, sizeof(number), "%" PRIu32, i);
		json_key(json, number);
		json_begin(json, "[]");
		json_text(json, function->name);
		json_text(json,
			  function->space == 'u' ? "user" : function->module);
		if (function->demangled)
			write_full_name(function, json);
		json_end(json, "[]");
	}
	json_end(json, "{}");
}

void slice_json(const struct view_slice *slice,
		const struct view_summary *summary, struct answer_names *named,
		struct json_out *json)
{
	json_signed(json, (int64_t)(slice->begin_ns - summary->first_ns));
	json_number(json, slice->end_ns - slice->begin_ns);
	json_number(json, slice->depth);
	json_number(json, slice->name);
	json_signed(json, (int32_t)slice->detail);
	json_signed(json, slice->waker_tid);
	json_number(json, slice->count);
	json_number(json, slice->busy_ns);
	if (slice->track % TRACK_KINDS >= TRACK_STACK)
		answer_names_add(named, slice->name);
	answer_names_add(named, slice->detail);
}

enum profile_part thread_part(const struct view_sources *sources,
			      uint32_t number)
{
	const struct array *threads = &sources->summary->threads;
	const struct view_thread *thread;

	if (number >= threads->count)
		return PROFILE_WORK;
	thread = array_at(threads, number);
	return profile_part_of_task(sources->names, sources->recorder,
				    thread->tid);
}

bool request_number(const struct view_request *request, const char *name,
		    uint64_t most, uint64_t absent, uint64_t *value)
{
	const char *text = request->argument(request, name);
	char *end;

	*value = absent;
	if (!text)
		return true;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno &&
	       *value <= most;
}

bool request_window(const struct view_request *request,
		    const struct view_summary *summary,
		    struct time_window *window)
{
	uint64_t most = summary->last_ns - summary->first_ns;
	uint64_t from;
	uint64_t to;

	/* A page may request times shortly after the recording's end. */
	if (!request_number(request, "from", UINT64_MAX / 4, 0, &from) ||
	    !request_number(request, "to", UINT64_MAX / 4, most, &to) ||
	    from >= to)
		return false;
	*window = (struct time_window){
		.since_ns = summary->first_ns + from,
		.until_ns = summary->first_ns + to,
	};
	return true;
}

bool request_thread(const struct view_request *request,
		    const struct view_summary *summary, uint32_t *number)
{
	uint64_t value;
	bool is_fine = request_number(request, "thread", UINT32_MAX,
				      THREAD_NUMBER_NONE, &value);

	*number = (uint32_t)value;
	return is_fine && (*number == THREAD_NUMBER_NONE ||
			   *number < summary->threads.count);
}
