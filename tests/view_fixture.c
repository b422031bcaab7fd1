/* SPDX-License-Identifier: MIT */
#include "tests/view_fixture.h"

#include "report/text/task_names.h"
#include "symbolize/function_table.h"
#include "view/data/call_sums.h"
#include "view/data/slice_store.h"
#include "view/make/level_chain.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_NS UINT64_C(1000000000)

static void add_slices(struct view_summary *summary, uint32_t function)
{
	struct level_chain *levels = level_chain_new(summary);
	struct view_slice slice = {
		.lane = lane_of(LANE_STACK, 0),
		.name = function,
		.detail = VIEW_NO_FUNCTION,
		.waker_tid = -1,
		.count = 1,
		.busy_ns = 800,
	};

	for (uint64_t i = 0; i < VIEW_FIXTURE_CALLS; i++) {
		slice.begin_ns = FIRST_NS + 100 + 1000 * i;
		slice.end_ns = slice.begin_ns + 800;
		level_chain_take_call(levels, &slice);
	}
	slice = (struct view_slice){
		.begin_ns = FIRST_NS + 500000,
		.end_ns = FIRST_NS + 900000,
		.busy_ns = 400000,
		.lane = lane_of(LANE_STATE, 0),
		.name = VIEW_ASLEEP,
		.detail = function,
		.waker_tid = 9,
		.count = 1,
	};
	level_chain_take_state(levels, &slice);
	ck_assert_int_eq(level_chain_end(levels), 0);
	level_chain_free(levels);
}

static void add_sums(struct view_summary *summary, uint32_t function)
{
	struct call_sum sum = { .place = 1, .calls = 450, .self_ns = 360000 };
	struct call_part_sums part = {
		.sums = { &sum, 1, 1, sizeof(sum) },
	};

	call_sums_add_place(summary->calls,
			    (struct call_place){ CALL_PLACE_NONE, 0, 0 });
	call_sums_add_place(summary->calls,
			    (struct call_place){ 0, function, 1 });
	for (uint64_t half = 0; half < 2; half++) {
		part.begin_ns = FIRST_NS + half * 500000;
		part.end_ns = part.begin_ns + 500000;
		ck_assert_int_eq(call_sums_add_part(summary->calls, &part), 0);
	}
}

static void make(struct view_fixture *fixture)
{
	struct view_summary *summary = view_summary_new(fixture->path);
	struct view_thread *thread = array_add(&summary->threads);

	*thread = (struct view_thread){ .tid = 7, .pid = 7 };
	summary->first_ns = FIRST_NS;
	summary->begin_ns = FIRST_NS;
	summary->last_ns = FIRST_NS + 1000000;
	summary->resolution_ns = 500;
	summary->levels = 4;
	summary->functions = function_count(fixture->functions);
	add_slices(summary, fixture->function);
	add_sums(summary, fixture->function);
	ck_assert_int_eq(view_summary_save(summary, VIEW_FIXTURE_KEY), 0);
	view_summary_free(summary);
}

void view_fixture_begin(struct view_fixture *fixture)
{
	static const char name[] = VIEW_FIXTURE_NAME;

	*fixture = (struct view_fixture){ .folder = scratch_folder_new() };
	scratch_folder_path(&fixture->folder, "view", fixture->path,
			    sizeof(fixture->path));
	fixture->functions = function_table_new();
	fixture->names = task_names_empty();
	fixture->function = function_table_add(
		fixture->functions, name, strlen(name),
		function_table_module(fixture->functions, "", 0), 'k');
	make(fixture);
	fixture->sources = (struct view_sources){
		.summary = view_summary_load(
			fixture->path, VIEW_FIXTURE_KEY,
			function_count(fixture->functions)),
		.functions = fixture->functions,
		.names = fixture->names,
	};
	ck_assert_ptr_nonnull(fixture->sources.summary);
}

void view_fixture_end(struct view_fixture *fixture)
{
	view_summary_free(fixture->sources.summary);
	task_names_close(fixture->names);
	function_table_free(fixture->functions);
	scratch_folder_free(&fixture->folder);
}

/* The arguments, each with a NUL behind in place of what is between them. */
struct arguments {
	char text[256];
	size_t size;
};

static const char *argument(const struct view_request *request,
			    const char *name)
{
	const struct arguments *arguments = request->ctx;
	size_t length = strlen(name);

	for (size_t at = 0; at < arguments->size;
	     at += strlen(arguments->text + at) + 1)
		if (!strncmp(arguments->text + at, name, length) &&
		    arguments->text[at + length] == '=')
			return arguments->text + at + length + 1;
	return NULL;
}

char *view_fixture_ask(const struct view_fixture *fixture, const char *path,
		       const char *text, enum view_status *status)
{
	struct arguments arguments = { .size = strlen(text) + 1 };
	const struct view_request request = { argument, &arguments };
	char *answer = NULL;
	size_t size;
	FILE *out = open_memstream(&answer, &size);

	ck_assert_uint_le(arguments.size, sizeof(arguments.text));
	strcpy(arguments.text, text);
	for (char *c = arguments.text; *c; c++)
		if (*c == '&')
			*c = '\0';
	*status = view_answer(&fixture->sources, path, &request, out);
	fclose(out);
	return answer;
}
