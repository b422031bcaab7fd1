/* SPDX-License-Identifier: MIT */
#include "tests/view_fixture.h"

#include "report/profile/profile.h"
#include "report/text/task_names.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "view/data/call_sums.h"
#include "view/data/slice_store.h"
#include "view/make/view_builder.h"

#include "common/array.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_NS UINT64_C(1000000000)

static void add_slices(struct view_summary *summary, uint32_t function)
{
	struct level_chain *levels = level_chain_new(summary);
	struct view_slice slice = {
		.track = track_of(TRACK_STACK, 0),
		.name = function,
		.detail = VIEW_NO_FUNCTION,
		.waker_tid = -1,
		.count = 1,
		.busy_ns = 800,
	};

	for (uint64_t i = 0; i < VIEW_FIXTURE_CALLS; i++) {
		slice.begin_ns = FIRST_NS + 100 + 1000 * i;
		slice.end_ns = slice.begin_ns + 800;
		level_chain_consume_call(levels, &slice);
	}
	slice = (struct view_slice){
		.begin_ns = FIRST_NS + 500000,
		.end_ns = FIRST_NS + 900000,
		.busy_ns = 400000,
		.track = track_of(TRACK_STATE, 0),
		.name = VIEW_ASLEEP,
		.detail = function,
		.waker_tid = 9,
		.count = 1,
	};
	level_chain_consume_state(levels, &slice);
	ck_assert_int_eq(level_chain_end(levels), 0);
	level_chain_free(levels);
}

static uint32_t add_function(struct view_fixture *fixture, const char *name)
{
	return function_table_add(
		fixture->functions, name, strlen(name),
		function_table_module(fixture->functions, "", 0), 'k');
}

static void add_paths(struct call_sums *calls,
		      const struct view_fixture *fixture)
{
	const struct call_path paths[] = {
		{ .parent = 0, .function = fixture->function },
		{ .parent = 1, .function = fixture->tracer },
		{ .parent = 1, .function = fixture->interrupt },
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		ck_assert_int_eq(call_sums_add_path(calls, paths[i]), 0);
	/* The threads: a task's, an idle one and the recorder's. */
	ck_assert_int_eq(call_sums_set_part(calls, 0, PROFILE_WORK), 0);
	ck_assert_int_eq(call_sums_set_part(calls, 1, PROFILE_IDLE), 0);
	ck_assert_int_eq(call_sums_set_part(calls, 2, PROFILE_TRACER), 0);
}

static void add_sum(struct array *cell, uint32_t thread, struct call_sum sum)
{
	struct call_cell_sums *of_thread = array_add(cell);
	struct call_sum *added;

	of_thread->thread = thread;
	of_thread->sums = ARRAY_OF(struct call_sum);
	added = array_add(&of_thread->sums);
	*added = sum;
}

static void add_sums(struct view_summary *summary)
{
	for (uint64_t half = 0; half < 2; half++) {
		struct array cell = ARRAY_OF(struct call_cell_sums);
		uint64_t begin_ns = FIRST_NS + half * 500000;

		add_sum(&cell, 0, (struct call_sum){ 700, 20, 2, 0 });
		add_sum(&cell, 2, (struct call_sum){ 40, 1, 1, 0 });
		add_sum(&cell, 1, (struct call_sum){ 90000, 3, 1, 0 });
		add_sum(&cell, 0, (struct call_sum){ 360000, 450, 1, 0 });
		add_sum(&cell, 1, (struct call_sum){ 500, 2, 3, 0 });
		ck_assert_int_eq(call_sums_add_cell(summary->calls, begin_ns,
						    begin_ns + 500000, &cell),
				 0);
		array_free(&cell);
	}
}

static void make(struct view_fixture *fixture)
{
	struct view_summary *summary = view_summary_new(fixture->path, NULL);
	static const int32_t tids[] = { 7, 0, 5 };

	for (size_t i = 0; i < sizeof(tids) / sizeof(*tids); i++) {
		struct view_thread *thread = array_add(&summary->threads);

		*thread =
			(struct view_thread){ .tid = tids[i], .pid = tids[i] };
	}
	summary->first_ns = FIRST_NS;
	summary->begin_ns = FIRST_NS;
	summary->last_ns = FIRST_NS + 1000000;
	summary->resolution_ns = 500;
	summary->levels = 4;
	summary->explanation = strdup(VIEW_FIXTURE_EXPLANATION);
	summary->reports = strdup(VIEW_FIXTURE_REPORTS);
	summary->functions = function_count(fixture->functions);
	add_slices(summary, fixture->function);
	add_paths(summary->calls, fixture);
	add_sums(summary);
	ck_assert_int_eq(view_summary_save(summary, VIEW_FIXTURE_KEY), 0);
	view_summary_free(summary);
}

void view_fixture_begin(struct view_fixture *fixture)
{
	*fixture = (struct view_fixture){ .folder = scratch_folder_new() };
	scratch_folder_path(&fixture->folder, "view", fixture->path,
			    sizeof(fixture->path));
	fixture->functions = function_table_new();
	fixture->names = task_names_empty();
	ck_assert_int_eq(task_names_add(fixture->names, 5, "recorder"), 0);
	fixture->function = add_function(fixture, VIEW_FIXTURE_NAME);
	fixture->tracer = add_function(fixture, "perf_trace_sched_switch");
	fixture->interrupt = add_function(fixture, "asm_common_interrupt");
	fixture->kinds = context_kinds_new(fixture->functions, &arch_x86_64);
	ck_assert_ptr_nonnull(fixture->kinds);
	make(fixture);
	fixture->sources = (struct view_sources){
		.summary =
			view_summary_load(fixture->path, VIEW_FIXTURE_KEY,
					  function_count(fixture->functions)),
		.functions = fixture->functions,
		.kinds = fixture->kinds,
		.names = fixture->names,
		.recorder = "recorder --all",
	};
	ck_assert_ptr_nonnull(fixture->sources.summary);
}

void view_fixture_end(struct view_fixture *fixture)
{
	view_summary_free(fixture->sources.summary);
	task_names_close(fixture->names);
	context_kinds_free(fixture->kinds);
	function_table_free(fixture->functions);
	scratch_folder_free(&fixture->folder);
}

/* The arguments, each followed by a NUL instead of its separator. */
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
