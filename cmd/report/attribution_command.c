/* SPDX-License-Identifier: MIT */
#include "cmd/report/attribution_command.h"

#include "attribution/events/known_events.h"
#include "attribution/events/step_join.h"
#include "attribution/hits/hit_list.h"
#include "attribution/table.h"
#include "attribution/trackers.h"
#include "cmd/command.h"
#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "cmd/report/untimed_overview.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/text/duration_text.h"
#include "report/text/time_unit.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/symbols/symbols.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TABLES = 4 };

/* A table on its way through a pass. */
struct table_run {
	const struct attribution_request *request;
	struct step_filter filter;
	struct attribution_input input;
	struct attribution_output output;
	struct event_handler *handler;
};

/* Prints for how long the recorder's tasks, whose rows are missing, were
 * traced.
 */
static void say_left_out(const struct attribution_request *request,
			 const struct attribution_input *input,
			 const struct attribution_output *output, FILE *out)
{
	uint64_t time_ns = 0;
	const struct task *task;

	if (request->is_quiet || request->table->says_left_out ||
	    step_filter_has_tasks(input->filter) ||
	    !input->filter->left_out_recorder)
		return;
	for (size_t i = 0; (task = task_stacks_task(output->stacks, i)); i++)
		if (!step_filter_task(input->filter, task))
			time_ns += task_stacks_time_of(output->stacks, i);
	if (time_ns)
		fprintf(out,
			"Left out: the recorder, traced for %s (--with-tracer)."
			"\n%s",
			duration_text_of(time_ns).text,
			out == stderr ? "" : "\n");
}

/* Sends the recording past all that the trackers of @input follow. */
static int run_trackers(const struct session *session,
			const struct attribution_input *input,
			struct task_stacks **stacks)
{
	struct step_join *join = trackers_join(input->trackers);
	int status;

	if (!join)
		return -ERROR_MEMORY;
	status = run_pipeline(session, step_join_callback(join), stacks);
	if (!status)
		status = step_join_end(join);
	if (!status)
		status = trackers_end(input->trackers);
	step_join_free(join);
	return status;
}

int run_handler(const struct session *session,
		const struct attribution_input *input,
		struct event_handler *handler, struct task_stacks **stacks)
{
	int status = trackers_follow(input->trackers, handler);

	return status ? status : run_trackers(session, input, stacks);
}

static int fail(const struct attribution_output *output, int status)
{
	if (status == -ERROR_NOT_FOUND)
		fprintf(stderr, "ktrace-hw: --sort: no column '%s' here\n",
			output->sort);
	else
		fprintf(stderr, "ktrace-hw: %s\n", error_text(status));
	return status == -ERROR_NOT_FOUND ? EXIT_USAGE : EXIT_FAILED;
}

static int render_one(const struct session *session, struct table_run *run)
{
	const struct attribution_request *request = run->request;
	struct attribution_output *output = &run->output;
	FILE *notes = output->format == RECORD_TABLE && !request->is_picture ?
			      output->out :
			      stderr;
	int status;

	if (notes == output->out && !request->is_quiet)
		fputs(time_unit_of(session->recording)->note, notes);
	say_left_out(request, &run->input, output, notes);
	status = request->table->render(run->handler, output);
	return status < 0 ? fail(output, status) : EXIT_OK;
}

static int render_all(const struct session *session, struct table_run *runs,
		      size_t count, const struct task_stacks *stacks)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < count && !status; i++) {
		runs[i].output.stacks = stacks;
		status = render_one(session, &runs[i]);
	}
	return status;
}

/* Returns 0, or -ERROR_MEMORY. */
static int open_tables(struct table_run *runs, size_t count)
{
	int status = 0;

	for (size_t i = 0; i < count && !status; i++) {
		struct table_run *run = &runs[i];

		run->handler = attribution_table_open(run->request->table,
						      &run->input);
		status = run->handler ? 0 : -ERROR_MEMORY;
	}
	return status;
}

/* All tables are filled in one pass. */
static int fill_and_render(const struct session *session,
			   const struct attribution_input *input,
			   struct table_run *runs, size_t count)
{
	struct task_stacks *stacks = NULL;
	int status = open_tables(runs, count);

	if (!status)
		status = run_trackers(session, input, &stacks);
	if (!status)
		status = render_all(session, runs, count, stacks);
	/* The pipeline has said what it failed of. */
	else if (status < 0)
		status = fail(&runs->output, status);
	for (size_t i = 0; i < count; i++)
		attribution_table_close(runs[i].request->table,
					runs[i].handler);
	task_stacks_free(stacks);
	return status;
}

static int check_argument(const struct attribution_table *table,
			  const struct attribution_input *input)
{
	char message[1024];

	if (!table->check || table->check(input, message, sizeof(message)))
		return 0;
	fprintf(stderr, "ktrace-hw: --%s: %s\n", table->name, message);
	return EXIT_USAGE;
}

static struct step_filter filter_of(const struct session *session,
				    const struct attribution_request *request)
{
	struct step_filter filter = session->filter;

	if (request->table->is_of_tasks && !request->with_tracer)
		filter.left_out_recorder =
			recording_info(session->recording)->command;
	return filter;
}

/* Returns what @input has of each table alone. */
static int set_inputs(const struct session *session,
		      const struct attribution_input *input,
		      struct table_run *runs, size_t count)
{
	int status = 0;

	for (size_t i = 0; i < count && !status; i++) {
		struct table_run *run = &runs[i];

		run->filter = filter_of(session, run->request);
		run->input = *input;
		run->input.filter = &run->filter;
		run->input.with_idle = run->request->with_idle;
		run->input.argument = run->request->argument;
		run->input.calls = run->request->calls;
		status = check_argument(run->request->table, &run->input);
	}
	return status;
}

static int attribute(const struct session *session, struct table_run *runs,
		     size_t count)
{
	struct known_events *events = known_events_new(session->recording);
	struct lines *lines =
		lines_new(recording_info(session->recording)->os_release);
	struct context_kinds *kinds =
		context_kinds_new(symbols_functions(session->symbols),
				  symbols_arch(session->symbols));
	struct attribution_input input = {
		.recording = session->recording,
		.symbols = session->symbols,
		.lines = lines,
		.names = session->names,
		.events = events,
		.kinds = kinds,
		.groups = session->groups,
		.window = session->window,
	};
	int status = EXIT_OK;

	if (events && kinds && lines)
		input.trackers = trackers_new(&input);
	if (!input.trackers)
		status = fail(&runs->output, -ERROR_MEMORY);
	else
		status = set_inputs(session, &input, runs, count);
	if (!status)
		status = fill_and_render(session, &input, runs, count);
	trackers_free(input.trackers);
	known_events_free(events);
	context_kinds_free(kinds);
	lines_free(lines);
	return status;
}

static void fill_choice(struct call_records_choice *choice,
			const struct attribution_output *output)
{
	choice->max_count = output->top;
	choice->format = output->format;
	choice->out = output->out;
}

/* The kernel's events have times: where the trace has none they cannot be put
 * together.
 */
static int attribute_if_timed(const struct session *session,
			      struct table_run *runs, size_t count)
{
	const struct attribution_table *table = runs->request->table;
	char option[64];

	if (time_unit_of(session->recording)->is_time)
		return attribute(session, runs, count);
	if (count == 1 && table == &processes_table && !session->groups &&
	    runs->output.format != RECORD_CSV)
		return untimed_overview(session, &runs->output);
	snprintf(option, sizeof(option), "--%s", table->name);
	return session_needs_time(session, option, "");
}

static struct table_run run_of(const struct report_options *options,
			       const struct attribution_request *request,
			       enum record_format format, FILE *out)
{
	struct table_run run = {
		.request = request,
		.output = { .sort = request->sort,
			    .top = options->top,
			    .title = options->title,
			    .format = format,
			    .out = out },
	};

	if (request->calls)
		fill_choice(request->calls, &run.output);
	return run;
}

/* Returns whether the triggers' hits stand before the table. */
static bool begins_with_hits(const struct session *session,
			     const struct attribution_request *request,
			     enum record_format format)
{
	return request->after_hits && format == RECORD_TABLE &&
	       time_unit_of(session->recording)->is_time &&
	       hit_list_is_wanted(session->recording);
}

int run_attribution(const struct report_options *options,
		    const struct attribution_request *request)
{
	const struct attribution_request hits = { .table = &hits_table,
						  .is_quiet = true };
	enum record_format format;
	struct session session;
	struct table_run runs[2];
	int close_status;
	int status;

	if (!record_format_find(options->format, &format) ||
	    (request->calls && format == RECORD_CSV)) {
		fprintf(stderr, "ktrace-hw: --format: no %s as '%s'\n",
			request->table->name, options->format);
		return EXIT_USAGE;
	}
	if (options->by != GROUP_BY_NOTHING && !request->table->has_groups) {
		fprintf(stderr, "ktrace-hw: --by does not go with --%s\n",
			request->table->name);
		return EXIT_USAGE;
	}
	status = session_open(&session, options);
	runs[0] = run_of(options, &hits, format, session.out);
	runs[1] = run_of(options, request, format, session.out);
	if (!status && begins_with_hits(&session, request, format))
		status = attribute_if_timed(&session, runs, 2);
	else if (!status)
		status = attribute_if_timed(&session, &runs[1], 1);
	close_status = session_close(&session);
	return status ? status : close_status;
}

int run_attributions(const struct report_options *options,
		     const struct attribution_request *requests,
		     FILE *const *outs, size_t count)
{
	struct table_run runs[MOST_TABLES];
	enum record_format format;
	struct session session;
	int close_status;
	int status;

	assert(count > 0 && count <= MOST_TABLES);
	if (!record_format_find(options->format, &format))
		return EXIT_USAGE;
	for (size_t i = 0; i < count; i++)
		runs[i] = run_of(options, &requests[i], format, outs[i]);
	status = session_open_input(&session, options);
	if (!status)
		status = attribute_if_timed(&session, runs, count);
	close_status = session_close(&session);
	return status ? status : close_status;
}
