/* SPDX-License-Identifier: MIT */
#include "cmd/attribution_command.h"

#include "attribution/events/known_events.h"
#include "attribution/events/step_join.h"
#include "attribution/table.h"
#include "cmd/command.h"
#include "cmd/pipeline.h"
#include "cmd/session.h"
#include "cmd/untimed_overview.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/text/duration_text.h"
#include "report/text/time_unit.h"
#include "symbolize/lines.h"
#include "symbolize/symbols.h"
#include "symbolize/work_kinds.h"

#include <stdio.h>
#include <string.h>

bool read_record_format(const char *name, enum record_format *format)
{
	static const char *const names[] = {
		[RECORD_CSV] = "csv",
		[RECORD_JSON] = "json",
		[RECORD_TABLE] = "text",
	};

	*format = RECORD_TABLE;
	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++) {
		*format = (enum record_format)i;
		if (!strcmp(names[i], name))
			return true;
	}
	return !name;
}

/* Says for how long the recorder's tasks, whose rows are missing, were traced.
 */
static void say_left_out(const struct attribution_request *request,
			 const struct attribution_input *input,
			 const struct attribution_output *output, FILE *out)
{
	uint64_t time_ns = 0;
	const struct task *task;

	if (request->is_quiet || step_filter_has_tasks(input->filter) ||
	    !input->filter->left_out_recorder)
		return;
	for (size_t i = 0; (task = task_stacks_task(output->stacks, i)); i++)
		if (!step_filter_task(input->filter, task))
			time_ns += task_stacks_time_of(output->stacks, i);
	if (time_ns)
		fprintf(out,
			"Left out: the recorder, traced for %s (--with-tracer)."
			"\n%s",
			duration_text_of(time_ns).text, out == stderr ? "" : "\n");
}

int run_witness(const struct session *session,
		const struct known_events *events, struct witness *witness,
		struct task_stacks **stacks)
{
	struct step_join *join = step_join_new(session->recording, events,
					       &witness, 1);
	int status;

	if (!join)
		return -ERROR_MEMORY;
	status = run_pipeline(session, step_join_sink(join), stacks);
	if (!status)
		status = step_join_end(join);
	step_join_free(join);
	return status;
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

static int fill_and_render(const struct session *session,
			   const struct attribution_request *request,
			   const struct attribution_input *input,
			   struct attribution_output *output)
{
	const struct attribution_table *table = request->table;
	FILE *notes = output->format == RECORD_TABLE && !request->is_picture ?
			      output->out :
			      stderr;
	struct witness *witness = table->open(input);
	struct task_stacks *stacks = NULL;
	int status = -ERROR_MEMORY;

	if (witness)
		status = run_witness(session, input->events, witness, &stacks);
	/* The pipeline has said what it failed of. */
	if (status <= 0) {
		output->stacks = stacks;
		if (!status && notes == output->out)
			fputs(time_unit_of(session->recording)->note, notes);
		if (!status)
			say_left_out(request, input, output, notes);
		if (!status)
			status = table->render(witness, output);
		status = status < 0 ? fail(output, status) : EXIT_OK;
	}
	if (witness)
		table->close(witness);
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

static int attribute(const struct session *session,
		     const struct attribution_request *request,
		     struct attribution_output *output)
{
	const struct attribution_table *table = request->table;
	struct known_events *events = known_events_new(session->recording);
	struct lines *lines = lines_new(
		recording_info(session->recording)->os_release);
	struct work_kinds *kinds =
		work_kinds_new(symbols_functions(session->symbols),
			       symbols_arch(session->symbols));
	const struct step_filter filter = filter_of(session, request);
	const struct attribution_input input = {
		.recording = session->recording,
		.symbols = session->symbols,
		.lines = lines,
		.names = session->names,
		.events = events,
		.kinds = kinds,
		.filter = &filter,
		.window = session->window,
		.with_idle = request->with_idle,
		.argument = request->argument,
		.calls = request->calls,
	};
	int status = check_argument(table, &input);

	if (!events || !kinds || !lines)
		status = fail(output, -ERROR_MEMORY);
	else if (!status)
		status = fill_and_render(session, request, &input, output);
	known_events_free(events);
	work_kinds_free(kinds);
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
			      const struct attribution_request *request,
			      struct attribution_output *output)
{
	const struct attribution_table *table = request->table;
	char option[64];

	if (time_unit_of(session->recording)->is_time)
		return attribute(session, request, output);
	if (table == &processes_option && output->format != RECORD_CSV)
		return untimed_overview(session, output);
	snprintf(option, sizeof(option), "--%s", table->name);
	return session_needs_time(session, option, "");
}

int run_attribution(const struct report_options *options,
		    const struct attribution_request *request)
{
	struct attribution_output output = {
		.sort = request->sort,
		.top = options->top,
		.title = options->title,
	};
	struct session session;
	int close_status;
	int status;

	if (!read_record_format(options->format, &output.format) ||
	    (request->calls && output.format == RECORD_CSV)) {
		fprintf(stderr, "ktrace-hw: --format: no %s as '%s'\n",
			request->table->name, options->format);
		return EXIT_USAGE;
	}
	status = session_open(&session, options);
	output.out = session.out;
	if (request->calls)
		fill_choice(request->calls, &output);
	if (!status)
		status = attribute_if_timed(&session, request, &output);
	close_status = session_close(&session);
	return status ? status : close_status;
}
