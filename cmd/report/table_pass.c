/* SPDX-License-Identifier: MIT */
#include "cmd/report/table_pass.h"

#include "attribution/events/known_events.h"
#include "attribution/events/step_join.h"
#include "attribution/trackers.h"
#include "cmd/command.h"
#include "cmd/console/say.h"
#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "cmd/report/attribution_command.h"
#include "cmd/report/kept_tables.h"
#include "cmd/report/profile_table.h"
#include "cmd/report/render_failure.h"
#include "cmd/report/step_pass.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "explain/explain.h"
#include "report/profile/profile_report.h"
#include "report/text/duration_text.h"
#include "report/text/time_unit.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/symbols/symbols.h"

#include <stdio.h>

const char *table_run_name(const struct attribution_request *request)
{
	return request->table->name ? request->table->name :
				      request->renderer->report;
}

static int fail(const struct table_run *run, int status)
{
	return render_failure(status, run->output.sort);
}

/* Prints how long the recorder's tasks, whose rows are omitted, were traced. */
static void say_left_out(const struct table_run *run, FILE *out)
{
	const struct step_filter *filter = &run->filter;
	uint64_t time_ns = 0;
	const struct task *task;

	if (run->request->is_quiet || run->request->table->says_left_out ||
	    step_filter_has_tasks(filter) || !filter->left_out_recorder)
		return;
	for (size_t i = 0; (task = task_stacks_task(run->output.stacks, i));
	     i++)
		if (!step_filter_task(filter, task))
			time_ns += task_stacks_time_of(run->output.stacks, i);
	if (time_ns)
		fprintf(out,
			"Left out: the recorder, traced for %s (--with-tracer)."
			"\n%s",
			duration_text_of(time_ns).text,
			out == stderr ? "" : "\n");
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
	say_left_out(run, notes);
	status = request->table->render(run->handler, output);
	return status < 0 ? fail(run, status) : status;
}

/* Writes the heading of the table of @run. */
static void write_head(const struct table_run *run, bool is_first)
{
	const char *name = table_run_name(run->request);

	if (run->output.format == RECORD_JSON)
		fprintf(run->output.out, "%s\"%s\": ", is_first ? "{" : ",",
			name);
	else
		fprintf(run->output.out, "%s==> %s <==\n", is_first ? "" : "\n",
			name);
}

static int render_all(const struct session *session, struct table_run *runs,
		      size_t count, bool has_heads)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < count && !status; i++) {
		if (has_heads)
			write_head(&runs[i], i == 0);
		status = render_one(session, &runs[i]);
		if (runs[i].request->table == &explain_table && i + 1 < count &&
		    !has_heads)
			fputc('\n', runs[i].output.out);
	}
	if (!status && has_heads && runs->output.format == RECORD_JSON)
		fputs("}\n", runs->output.out);
	return status;
}

/* Sends the recording through all trackers of @input. */
static int run_trackers(const struct kept_tables *kept,
			const struct attribution_input *input,
			struct task_stacks **stacks)
{
	const char *checkpoints = kept_tables_checkpoints(kept);
	struct step_join *join = trackers_join(input->trackers);
	int status;

	if (!join)
		return -ERROR_MEMORY;
	/* These checkpoints are for windows filled from the cache. They hold
	 * too little state for trackers in any other window, so only a full
	 * pass uses them.
	 */
	if (checkpoints && time_window_is_all(kept->session->window))
		step_join_pack_as(join, checkpoints);
	status = run_pipeline(kept->session, step_join_callback(join), stacks);
	if (!status)
		status = step_join_end(join);
	if (!status)
		status = trackers_end(input->trackers);
	step_join_free(join);
	return status;
}

/* Sends the recording through all tables of @runs. */
static int run_tables(const struct kept_tables *kept,
		      const struct attribution_input *input,
		      const struct table_run *runs, size_t count,
		      struct task_stacks **stacks)
{
	struct step_callback *alone =
		count == 1 && runs->request->renderer ?
			profile_table_callback(runs->handler) :
			NULL;
	struct step_pass steps = step_pass_of(input->trackers, runs, count);
	int status;

	if (!alone && !step_pass_is_enough(runs, count))
		return run_trackers(kept, input, stacks);
	status = run_pipeline(kept->session, alone ? alone : &steps.callback,
			      stacks);
	return status ? status : trackers_end(input->trackers);
}

/* Fills the tables from the cache, and from the steps of the window if they
 * need them.
 */
static int read_tables(struct kept_tables *kept,
		       const struct attribution_input *input,
		       struct task_stacks **stacks)
{
	const char *checkpoints = kept_tables_checkpoints(kept);
	struct step_join *join = NULL;
	int status;

	if (!checkpoints)
		return kept_tables_read(kept, NULL, stacks);
	join = trackers_join(input->trackers);
	if (!join)
		return -ERROR_MEMORY;
	step_join_pack_as(join, checkpoints);
	status = kept_tables_read(kept, step_join_callback(join), stacks);
	step_join_free(join);
	return status;
}

/* Returns 0, or -ERROR_MEMORY. */
static int open_tables(struct table_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		runs[i].handler = attribution_table_open(runs[i].request->table,
							 &runs[i].input);
		if (!runs[i].handler)
			return -ERROR_MEMORY;
	}
	return 0;
}

/* Fills all tables from the recording or, if @is_read, from the cache. */
static int fill(struct kept_tables *kept, bool is_read,
		const struct attribution_input *input, struct table_run *runs,
		size_t count, struct task_stacks **stacks)
{
	int status = open_tables(runs, count);

	if (status < 0)
		return status;
	if (is_read)
		return read_tables(kept, input, stacks);
	kept_tables_keep(kept);
	status = run_tables(kept, input, runs, count, stacks);
	if (!status)
		kept_tables_finish(kept);
	return status;
}

static int fill_and_render(struct kept_tables *kept, bool is_read,
			   const struct attribution_input *input,
			   struct table_run *runs, size_t count, bool has_heads)
{
	struct task_stacks *stacks = NULL;
	int status = fill(kept, is_read, input, runs, count, &stacks);

	for (size_t i = 0; i < count; i++)
		runs[i].output.stacks = stacks;
	if (!status)
		status = render_all(kept->session, runs, count, has_heads);
	/* The pipeline has already reported its own errors (positive status).
	 */
	else if (status < 0 && !(is_read && status == -ERROR_FORMAT))
		status = fail(runs, status);
	for (size_t i = 0; i < count; i++) {
		attribution_table_close(runs[i].request->table,
					runs[i].handler);
		runs[i].handler = NULL;
	}
	task_stacks_free(stacks);
	return status;
}

static int check_argument(const struct attribution_table *table,
			  const struct attribution_input *input)
{
	char message[1024];

	if (!table->check || table->check(input, message, sizeof(message)))
		return 0;
	say("--%s: %s", table->name, message);
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

/* Sets the members of @input that differ between tables. */
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
		run->input.profile = &run->profile;
		status = run->request->renderer ?
				 profile_choose(&run->profile, session,
						input->events) :
				 check_argument(run->request->table,
						&run->input);
	}
	return status;
}

/* Returns 0, the exit code, or -ERROR_FORMAT if @is_read and the cache is
 * unusable.
 */
static int pass_once(struct kept_tables *kept, bool is_read,
		     struct attribution_input *input, struct table_run *runs,
		     size_t count, bool has_heads)
{
	int status;

	input->trackers = trackers_new(input);
	if (!input->trackers)
		return fail(runs, -ERROR_MEMORY);
	for (size_t i = 0; i < count; i++)
		runs[i].input.trackers = input->trackers;
	status = fill_and_render(kept, is_read, input, runs, count, has_heads);
	trackers_free(input->trackers);
	return status;
}

static int pass(const struct session *session, struct attribution_input *input,
		struct table_run *runs, size_t count, bool has_heads)
{
	struct kept_tables kept;
	int status = set_inputs(session, input, runs, count);

	if (status)
		return status;
	kept = kept_tables_of(session, runs, count);
	status = -ERROR_FORMAT;
	if (kept_tables_find(&kept))
		status = pass_once(&kept, true, input, runs, count, has_heads);
	if (status == -ERROR_FORMAT)
		status = pass_once(&kept, false, input, runs, count, has_heads);
	kept_tables_close(&kept);
	return status;
}

int table_pass(const struct session *session, struct table_run *runs,
	       size_t count, bool has_heads)
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
	int status = events && kinds && lines ?
			     pass(session, &input, runs, count, has_heads) :
			     fail(runs, -ERROR_MEMORY);

	known_events_free(events);
	context_kinds_free(kinds);
	lines_free(lines);
	return status;
}
