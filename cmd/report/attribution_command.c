/* SPDX-License-Identifier: MIT */
#include "cmd/report/attribution_command.h"

#include "analysis/checkpoints.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/events/step_join.h"
#include "attribution/table_records.h"
#include "attribution/trackers.h"
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/report_options.h"
#include "cmd/pipeline/choice_check.h"
#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "cmd/report/profile_choice_internal.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/cache_file.h"
#include "decoder/recording/recording.h"
#include "explain/explain.h"
#include "report/profile/profile_report.h"
#include "report/steps/call_step.h"
#include "report/steps/task_stacks.h"
#include "report/text/duration_text.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/symbols/symbols.h"
#include "tables/calls/hits_table.h"
#include "tables/overview.h"
#include "tables/profile/profile_table.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table while a pass over a recording fills it. */
struct table_run {
	const struct attribution_request *request;
	const struct report_options *options;
	struct attribution_output output;
	struct profile_choice profile; /* if it is a profile */
	/* Set by the pass. */
	struct step_filter filter;
	struct attribution_input input;
	struct event_handler *handler;
};

/* Passes call events to tables that need nothing else (is_done in
 * tables/table.h). A window can then start at a checkpoint, and decoding ends
 * when all tables are done.
 */
struct step_pass {
	struct step_callback callback; /* must be the first member */
	struct event_handler *const *handlers;
	size_t handler_count;
	const struct table_run *runs;
	size_t count;
};

/* One cached file of records from which a table is made
 * (attribution/table_records.h).
 */
struct cached_part {
	const struct table_run *run;
	const struct table_records *records;
	struct cache_file file; /* if it is read */
};

enum { MOST_TABLES = 32 };

enum { MOST_PARTS = 2 * (1 + MOST_TABLES) };

/* The cached records of all tables of a pass, stored beside the recording. */
struct cached_tables {
	const struct session *session;
	bool can_be;	  /* the recording can have cached records */
	bool are_all;	  /* no table needs more than these records */
	bool are_damaged; /* the cached files are invalid */
	uint64_t key;
	struct cached_part parts[MOST_PARTS];
	size_t count;
	struct written_records written;
};

static void drop_step(struct step_callback *callback,
		      const struct call_step *step)
{
	(void)callback;
	(void)step;
}

/* Shows an overview, as text or JSON, of a recording whose trace has no
 * timestamps: it cannot be determined where a process spent its time.
 *
 * Returns like run_pipeline().
 */
static int untimed_overview(const struct session *session,
			    const struct attribution_output *output)
{
	struct step_callback callback = { .consume = drop_step };
	struct task_stacks *stacks = NULL;
	int status = run_pipeline(session, &callback, &stacks);

	if (!status && output->format == RECORD_JSON) {
		fputs("{\n", output->out);
		overview_write_json(session->recording, stacks, output->out);
		fputs("\"processes\":null}\n", output->out);
	} else if (!status) {
		overview_write_text(session->recording, stacks,
				    session->origin_ns, output->out);
	}
	task_stacks_free(stacks);
	return status;
}

/* Returns whether all @count tables of @runs need only call events. */
static bool step_pass_is_enough(const struct table_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!runs[i].request->table->is_done)
			return false;
	return true;
}

static void pass_consume(struct step_callback *callback,
			 const struct call_step *step)
{
	const struct step_pass *pass = (const struct step_pass *)callback;

	for (size_t i = 0; i < pass->handler_count; i++)
		pass->handlers[i]->step(pass->handlers[i], step);
}

static bool pass_is_done(const struct step_callback *callback, uint64_t time_ns)
{
	const struct step_pass *pass = (const struct step_pass *)callback;

	for (size_t i = 0; i < pass->count; i++) {
		const struct table_run *run = &pass->runs[i];

		if (!run->request->table->is_done(run->handler, time_ns))
			return false;
	}
	return true;
}

/* Returns a callback that passes call events to the handlers of @trackers and
 * ends when all tables of @runs, which must be open, are done. Borrows all
 * arguments.
 */
static struct step_pass step_pass_of(const struct trackers *trackers,
				     const struct table_run *runs, size_t count)
{
	struct step_pass pass = {
		.callback = { .consume = pass_consume,
			      .is_done = pass_is_done,
			      .ignores_bounds = true },
		.runs = runs,
		.count = count,
	};

	pass.handlers = trackers_handlers(trackers, &pass.handler_count);
	return pass;
}

/* Returns whether another table of the pass already has these records and reads
 * them for all tables, because they belong to a tracker.
 */
static bool are_others(const struct cached_tables *kept,
		       const struct table_records *records)
{
	for (size_t i = 0; i < kept->count; i++)
		if (!strcmp(kept->parts[i].records->name, records->name))
			return records->tracker;
	return false;
}

static void add_parts(struct cached_tables *kept, const struct table_run *run,
		      bool is_alone)
{
	const struct attribution_table *table = run->request->table;
	const struct table_records *const all[] = { table->records,
						    table->more_records, NULL };
	bool has_any = false;

	for (int i = 0; all[i]; i++) {
		const struct table_records *records = all[i];

		if (!all[i + 1] && table->are_needed &&
		    !table->are_needed(&run->input))
			break;
		has_any = true;
		kept->are_all &= !records->checkpoints || is_alone;
		if (are_others(kept, records))
			continue;
		assert(kept->count < MOST_PARTS);
		kept->parts[kept->count++] =
			(struct cached_part){ run, records, CACHE_FILE_NONE };
	}
	kept->are_all &= has_any;
}

/* Returns the cached records of the @count tables of @runs, whose inputs must
 * be set. Borrows all arguments.
 */
static struct cached_tables cached_tables_of(const struct session *session,
					     const struct table_run *runs,
					     size_t count)
{
	struct cached_tables kept = { .session = session, .are_all = true };
	const struct pass_input pass = session_pass(session);

	kept.can_be = checkpoints_find_key(&pass, &kept.key);
	for (size_t i = 0; i < count; i++)
		add_parts(&kept, &runs[i], count == 1);
	return kept;
}

/* Returns the name of the checkpoints from which the tables' call events resume
 * in a window, or NULL if they need none: see struct table_records.
 */
static const char *cached_tables_checkpoints(const struct cached_tables *kept)
{
	return kept->are_all && kept->count ?
		       kept->parts->records->checkpoints :
		       NULL;
}

/* Opens the cached records that the window needs. */
static bool open_records(const struct cached_tables *kept,
			 struct cached_part *part)
{
	const struct cached_span wanted =
		part->records->wanted(kept->session->window);

	return table_records_open(part->records, kept->session->recording,
				  kept->key, &wanted, &part->file);
}

static void close_records(struct cached_part *part)
{
	cache_file_close(&part->file);
	part->file = CACHE_FILE_NONE;
}

/* Opens the cached records if the session's window can be made from them.
 * Returns whether all are available.
 */
static bool cached_tables_find(struct cached_tables *kept)
{
	const struct pass_input pass = session_pass(kept->session);
	bool are_there = kept->can_be && kept->are_all &&
			 !time_window_is_all(pass.window) &&
			 checkpoints_fit(&pass, kept->key);

	for (size_t i = 0; i < kept->count && are_there; i++)
		are_there = open_records(kept, &kept->parts[i]);
	return are_there;
}

/* Decodes a window: passes call events to another callback, if there is one. */
struct window_pass {
	struct step_callback callback;
	struct step_callback *next; /* or NULL */
	uint64_t until_ns;
	bool has_failed; /* the state it should resume from is unusable */
};

static void kept_consume(struct step_callback *callback,
			 const struct call_step *step)
{
	const struct window_pass *pass = (const struct window_pass *)callback;

	if (pass->next && !pass->has_failed)
		pass->next->consume(pass->next, step);
}

static void consume_open(struct step_callback *callback,
			 const struct call_step *step)
{
	const struct window_pass *pass = (const struct window_pass *)callback;

	pass->next->open(pass->next, step);
}

static void read_state(struct step_callback *callback,
		       const struct task_pack *tasks)
{
	struct window_pass *pass = (struct window_pass *)callback;

	pass->next->pack(pass->next, tasks);
	pass->has_failed = !pack_is_whole(tasks->pack);
}

static bool kept_is_done(const struct step_callback *callback, uint64_t time_ns)
{
	const struct window_pass *pass = (const struct window_pass *)callback;

	return pass->has_failed || time_ns >= pass->until_ns;
}

static struct window_pass window_pass_of(struct step_callback *next,
					 uint64_t until_ns)
{
	struct window_pass pass = {
		.callback = { .consume = kept_consume,
			      .is_done = kept_is_done,
			      .ignores_bounds = !next },
		.next = next,
		.until_ns = until_ns,
	};

	if (!next)
		return pass;
	pass.callback.needs_begin = next->needs_begin;
	pass.callback.pack = read_state;
	pass.callback.packed_as = next->packed_as;
	pass.callback.open = consume_open;
	return pass;
}

/* Decodes the session's window for *@stacks and for @callback, which may be
 * NULL. Returns -ERROR_FORMAT if the selection matches nothing in the window,
 * or the state at its start is unusable: then the caller decodes the whole
 * recording.
 */
static int run_window(const struct session *session,
		      struct step_callback *callback,
		      struct task_stacks **stacks)
{
	struct window_pass pass =
		window_pass_of(callback, session->window.until_ns);
	struct choice_check check;
	int status = pipeline_run(
		session, choice_check_begin(&check, session, &pass.callback),
		stacks);

	return !status && (pass.has_failed || !choice_check_holds(&check)) ?
		       -ERROR_FORMAT :
		       status;
}

/* Returns the owner of the records, which exists if the tables are open. */
static struct event_handler *owner_of(const struct cached_part *part)
{
	return table_records_owner(part->records, part->run->input.trackers,
				   part->run->handler,
				   part->run->request->table->owner);
}

static bool read_records(const struct cached_part *part)
{
	size_t count = part->file.chunks.count;
	bool is_whole = count;

	for (size_t i = 0; is_whole && i < count; i++)
		is_whole = table_records_read(part->records, owner_of(part),
					      &part->file, i);
	return is_whole;
}

/* Fills the tables, which must be open, from the cached records; decodes the
 * trace only in the window, for *@stacks and for @callback, which may be NULL.
 *
 * Returns 0; -ERROR_FORMAT if the cache turns out to be unusable: the tables
 * are then unusable, too; or another negative enum error.
 */
static int cached_tables_read(struct cached_tables *kept,
			      struct step_callback *callback,
			      struct task_stacks **stacks)
{
	int status;

	if (callback)
		kept->parts->records->begin_window(owner_of(kept->parts));
	status = run_window(kept->session, callback, stacks);
	for (size_t i = 0; i < kept->count && !status; i++)
		if (!read_records(&kept->parts[i])) {
			kept->are_damaged = true;
			status = -ERROR_FORMAT;
		}
	return status;
}

/* Starts to cache the records that are not cached yet. */
static void cached_tables_keep(struct cached_tables *kept)
{
	for (size_t i = 0; i < kept->count && kept->can_be; i++) {
		struct cached_part *part = &kept->parts[i];
		bool is_there;

		close_records(part);
		is_there = open_records(kept, part) && !kept->are_damaged;
		close_records(part);
		if (!is_there)
			written_records_add(&kept->written, part->records,
					    owner_of(part),
					    kept->session->recording,
					    kept->key);
	}
}

static void cached_tables_close(struct cached_tables *kept)
{
	for (size_t i = 0; i < kept->count; i++)
		cache_file_close(&kept->parts[i].file);
	written_records_close(&kept->written);
}

static int fail(const struct table_run *run, int status)
{
	const struct attribution_table *table = run->request->table;

	if (status == -ERROR_NOT_FOUND && table->missing) {
		say("%s: %s", run->request->argument, table->missing);
		return EXIT_FAILED;
	}
	return render_failure(status, run->output.sort,
			      run->request->table->columns);
}

/* Prints how long the recorder's tasks, whose rows are left out, were traced.
 * Returns whether it printed that.
 */
static bool say_left_out(const struct table_run *run, FILE *out)
{
	const struct step_filter *filter = &run->filter;
	uint64_t time_ns = 0;
	const struct task *task;

	if (run->request->is_quiet || run->request->table->writes_left_out ||
	    step_filter_has_tasks(filter) || !filter->left_out_recorder)
		return false;
	for (size_t i = 0; (task = task_stacks_task(run->output.stacks, i));
	     i++)
		if (!step_filter_task(filter, task))
			time_ns += task_stacks_time_of(run->output.stacks, i);
	if (time_ns)
		fprintf(out,
			"%sLeft out: the recorder, traced for %s "
			"(--with-tracer).\n",
			out == stderr ? "" : "\n",
			duration_text_of(time_ns).text);
	return time_ns;
}

/* Returns where the notes of a table go. */
static FILE *notes_of(const struct table_run *run)
{
	return run->output.format == RECORD_TABLE && !run->request->is_picture ?
		       run->output.out :
		       stderr;
}

/* Writes all rows of the table of @run as CSV. */
static int render_rows(const struct table_run *run)
{
	struct attribution_output output = run->output;

	output.out = run->request->rows;
	output.format = RECORD_CSV;
	output.top = UINT64_MAX;
	output.shown = NULL;
	return run->request->table->render(run->handler, &output);
}

/* Writes why a table has no rows: its text is only that. */
static int explain_empty(const struct table_run *run)
{
	struct attribution_output output = run->output;

	output.out = stderr;
	output.format = RECORD_TABLE;
	output.is_empty = NULL;
	return run->request->table->render(run->handler, &output);
}

static int render_one(struct table_run *run)
{
	const struct attribution_request *request = run->request;
	bool is_empty = false;
	int status;

	run->output.is_empty = &is_empty;
	status = request->table->render(run->handler, &run->output);
	run->output.is_empty = NULL;
	if (!status && is_empty && run->output.format != RECORD_TABLE &&
	    !run->output.is_quiet)
		status = explain_empty(run);
	if (!status && request->rows)
		status = render_rows(run);
	return status < 0 ? fail(run, status) : status;
}

/* Prints the note on the unit of the recording's times. Tables with the same
 * output as the first of @runs share one note; none is printed if all of these
 * tables are quiet.
 */
static void write_unit_note(const struct session *session,
			    const struct table_run *runs, size_t count)
{
	FILE *out = runs->output.out;

	for (size_t i = 0; i < count && runs[i].output.out == out; i++)
		if (!runs[i].request->is_quiet && notes_of(&runs[i]) == out) {
			fputs(time_unit_of(session->recording)->note, out);
			return;
		}
}

/* Prints say_left_out() of the first table for which it prints anything. */
static void end_notes(const struct table_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		FILE *notes = notes_of(&runs[i]);

		if ((notes != stderr || notes_are_shown()) &&
		    say_left_out(&runs[i], notes))
			return;
	}
}

/* Writes the heading of the table of @run. */
static void write_head(const struct table_run *run, bool is_first)
{
	const char *name = attribution_request_name(run->request);

	if (run->output.format == RECORD_JSON)
		fprintf(run->output.out,
			"%s,\"%s\": ", is_first ? "{\"version\":1" : "", name);
	else
		fprintf(run->output.out, "%s==> %s <==\n", is_first ? "" : "\n",
			name);
}

static int render_all(const struct session *session, struct table_run *runs,
		      size_t count, bool has_heads)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < count && !status; i++) {
		if (i == 0 || runs[i].output.out != runs[i - 1].output.out)
			write_unit_note(session, &runs[i], count - i);
		if (has_heads)
			write_head(&runs[i], i == 0);
		status = render_one(&runs[i]);
		if (runs[i].request->table == &explain_table && i + 1 < count &&
		    !has_heads)
			fputc('\n', runs[i].output.out);
	}
	if (!status && has_heads && runs->output.format == RECORD_JSON)
		fputs("}\n", runs->output.out);
	if (!status)
		end_notes(runs, count);
	return status;
}

static int run_steps(const struct session *session,
		     const struct attribution_request *request,
		     struct step_callback *callback,
		     struct task_stacks **stacks)
{
	return request->may_be_empty ?
		       run_pipeline_unchecked(session, callback, stacks) :
		       run_pipeline(session, callback, stacks);
}

/* Sends the recording through all trackers of @input. */
static int run_trackers(const struct cached_tables *kept,
			const struct attribution_request *request,
			const struct attribution_input *input,
			struct task_stacks **stacks)
{
	const char *checkpoints = cached_tables_checkpoints(kept);
	struct step_join *join = trackers_join(input->trackers);
	int status;

	if (!join)
		return -ERROR_MEMORY;
	/* These checkpoints are for windows filled from the cache. They have
	 * too little state for trackers in any other window, so only a full
	 * pass writes them.
	 */
	if (checkpoints && time_window_is_all(kept->session->window))
		step_join_pack_as(join, checkpoints);
	status = run_steps(kept->session, request, step_join_callback(join),
			   stacks);
	if (!status)
		status = step_join_end(join);
	if (!status)
		status = trackers_end(input->trackers);
	step_join_free(join);
	return status;
}

/* Sends the recording through all tables of @runs. */
static int run_tables(const struct cached_tables *kept,
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
		return run_trackers(kept, runs->request, input, stacks);
	status = run_steps(kept->session, runs->request,
			   alone ? alone : &steps.callback, stacks);
	return status ? status : trackers_end(input->trackers);
}

/* Fills the tables from the cache and, if they need it, from the window's call
 * events.
 */
static int read_tables(struct cached_tables *kept,
		       const struct attribution_input *input,
		       struct task_stacks **stacks)
{
	const char *checkpoints = cached_tables_checkpoints(kept);
	struct step_join *join = NULL;
	int status;

	if (!checkpoints)
		return cached_tables_read(kept, NULL, stacks);
	join = trackers_join(input->trackers);
	if (!join)
		return -ERROR_MEMORY;
	step_join_pack_as(join, checkpoints);
	status = cached_tables_read(kept, step_join_callback(join), stacks);
	step_join_free(join);
	return status;
}

/* Opens the handlers of all tables of @runs. Returns 0, or -ERROR_MEMORY. */
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
static int fill(struct cached_tables *kept, bool is_read,
		const struct attribution_input *input, struct table_run *runs,
		size_t count, struct task_stacks **stacks)
{
	int status = open_tables(runs, count);

	if (status < 0)
		return status;
	if (is_read)
		return read_tables(kept, input, stacks);
	cached_tables_keep(kept);
	status = run_tables(kept, input, runs, count, stacks);
	if (!status)
		written_records_finish(&kept->written);
	return status;
}

static int fill_and_render(struct cached_tables *kept, bool is_read,
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
				 profile_choose(&run->profile, run->options,
						session, input->events) :
				 check_argument(run->request->table,
						&run->input);
	}
	return status;
}

/* Fills and renders the tables, from the cache if @is_read. Returns 0, the exit
 * code, or -ERROR_FORMAT if @is_read and the cache is unusable.
 */
static int pass_once(struct cached_tables *kept, bool is_read,
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
	struct cached_tables kept;
	int status = set_inputs(session, input, runs, count);

	if (status)
		return status;
	kept = cached_tables_of(session, runs, count);
	status = -ERROR_FORMAT;
	if (cached_tables_find(&kept))
		status = pass_once(&kept, true, input, runs, count, has_heads);
	if (status == -ERROR_FORMAT)
		status = pass_once(&kept, false, input, runs, count, has_heads);
	cached_tables_close(&kept);
	return status;
}

/* Fills the @count tables of @runs in one pass over the recording of @session
 * and shows them in order. If @has_heads, each has its name as a heading, in
 * JSON as a key of an object.
 *
 * Returns 0, or the exit code after a message on standard error.
 */
static int table_pass(const struct session *session, struct table_run *runs,
		      size_t count, bool has_heads)
{
	struct known_events *events = known_events_new(session->recording);
	struct lines *lines = lines_new(session->recording);
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
		.origin_ns = session->origin_ns,
	};
	int status = events && kinds && lines ?
			     pass(session, &input, runs, count, has_heads) :
			     fail(runs, -ERROR_MEMORY);

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

static struct table_run run_of(const struct report_options *options,
			       const struct attribution_request *request,
			       enum record_format format, FILE *out)
{
	struct table_run run = {
		.request = request,
		.options = options,
		.output = { .sort = request->sort,
			    .shown = attribution_request_columns(request),
			    .is_brief = !request->columns,
			    .top = options->top,
			    .title = options->title,
			    .format = format,
			    .is_quiet = !notes_are_shown(),
			    .is_verbose = is_verbose(),
			    .out = out },
		.profile = { .renderer = request->renderer,
			     .is_of_wall = request->renderer &&
					   request->table != &profile_table },
	};

	if (request->calls)
		fill_choice(request->calls, &run.output);
	return run;
}

/* Runs the tables. Without timestamps in the trace, refuses tables that need
 * times: the kernel's events have timestamps, which cannot be correlated with
 * such a trace. Profiles of time on CPUs need none.
 */
static int pass_if_timed(const struct session *session, struct table_run *runs,
			 size_t count, bool has_heads)
{
	size_t timed = 0;
	char option[64];

	while (timed < count && runs[timed].request->table == &profile_table)
		timed++;
	if (timed == count || time_unit_of(session->recording)->is_time)
		return table_pass(session, runs, count, has_heads);
	if (count == 1 && runs->request->table == &processes_table &&
	    !session->groups && runs->output.format != RECORD_CSV)
		return untimed_overview(session, &runs->output);
	snprintf(option, sizeof(option), "--%s",
		 attribution_request_name(runs[timed].request));
	return session_needs_time(session, option, "");
}

/* Returns whether the triggers' hits are printed before the table. */
static bool begins_with_hits(const struct session *session,
			     const struct attribution_request *request,
			     enum record_format format)
{
	return request->after_hits && format == RECORD_TABLE &&
	       time_unit_of(session->recording)->is_time &&
	       hit_list_is_wanted(session->recording);
}

static int read_facts(const struct session *session, struct recorded *recorded)
{
	struct known_events *events = known_events_new(session->recording);

	if (!events)
		return render_failure(-ERROR_MEMORY, NULL, NULL);
	*recorded = recorded_of(session->recording, events);
	known_events_free(events);
	return EXIT_OK;
}

/* Returns whether the explanation is printed before the table. */
static bool begins_with_explanation(const struct session *session,
				    const struct attribution_request *request,
				    enum record_format format)
{
	struct recorded recorded;
	const struct table_need need = { .event = EVENT_HRTIMER_EXPIRE };

	return request->after_explanation && format == RECORD_TABLE &&
	       time_unit_of(session->recording)->is_time &&
	       time_window_is_all(session->window) && !session->groups &&
	       !read_facts(session, &recorded) &&
	       recorded_has(&recorded, &need);
}

/* Adds the tables that are printed before that of @request to @runs. Returns
 * their number.
 */
static size_t add_first(const struct session *session,
			const struct report_options *options,
			const struct attribution_request *request,
			enum record_format format, struct table_run *runs)
{
	static const struct attribution_request hits = { .table = &hits_table,
							 .is_quiet = true };
	static const struct attribution_request explanation = {
		.table = &explain_table,
		.is_quiet = true,
	};
	size_t count = 0;

	if (begins_with_hits(session, request, format))
		runs[count++] = run_of(options, &hits, format, session->out);
	else if (begins_with_explanation(session, request, format))
		runs[count++] =
			run_of(options, &explanation, format, session->out);
	return count;
}

int run_attribution(const struct report_options *options,
		    const struct attribution_request *requests, size_t count)
{
	struct table_run runs[1 + MOST_TABLES];
	enum record_format format;
	struct session session;
	size_t first = 0;
	int status = attribution_requests_check(options, requests, count);

	assert(count > 0 && count <= MOST_TABLES);
	if (status)
		return status;
	record_format_find(options->format, &format);
	status = session_open(&session, options);
	if (!status && requests->recorded)
		status = read_facts(&session, requests->recorded);
	if (!status)
		first = add_first(&session, options, requests, format, runs);
	for (size_t i = 0; i < count; i++)
		runs[first + i] =
			run_of(options, &requests[i], format, session.out);
	if (!status)
		status = pass_if_timed(&session, runs, first + count,
				       !first && count > 1);
	return session_finish(&session, status);
}

int run_attributions(const struct report_options *options,
		     const struct attribution_request *requests,
		     FILE *const *outs, size_t count)
{
	struct table_run runs[MOST_TABLES];
	enum record_format format;
	struct session session;
	int status;

	assert(count > 0 && count <= MOST_TABLES);
	if (!record_format_find(options->format, &format))
		return EXIT_USAGE;
	for (size_t i = 0; i < count; i++)
		runs[i] = run_of(options, &requests[i], format, outs[i]);
	status = session_open_input(&session, options);
	if (!status)
		status = pass_if_timed(&session, runs, count, false);
	return session_finish(&session, status);
}

int run_profile(const struct report_options *options,
		const struct attribution_table *table,
		const struct profile_renderer *renderer)
{
	const struct attribution_request request = {
		.table = table ? table : &profile_table,
		.renderer = renderer,
		.sort = table ? NULL : options->sort,
		.is_quiet = !table,
		.is_picture = table,
		.with_tracer = table && options->with_tracer,
		.with_idle = options->with_idle,
	};

	if (renderer->render_second && !options->output) {
		say("--format=%s writes two files: name the first with -o FILE",
		    renderer->format);
		return EXIT_USAGE;
	}
	return run_attribution(options, &request, 1);
}
