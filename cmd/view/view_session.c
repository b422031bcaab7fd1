/* SPDX-License-Identifier: MIT */
#include "cmd/view/view_session.h"

#include "attribution/events/known_events.h"
#include "attribution/events/step_join.h"
#include "attribution/trackers.h"
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/pipeline/pipeline.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/files/file_io.h"
#include "common/files/output_file.h"
#include "common/files/output_folder.h"
#include "common/files/regular_file.h"
#include "common/name_choice.h"
#include "decoder/recording/recording.h"
#include "explain/explain.h"
#include "report/annotate/annotate.h"
#include "report/annotate/annotation.h"
#include "report/steps/checkpoint_index.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "view/answer/file_data.h"
#include "view/make/view_builder.h"
#include "view/page/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reports that the page's data could not be written: a file beside the
 * recording or, if its folder cannot be written to, a temporary file.
 */
static int fail_write(const struct view_session *view, int cause)
{
	const struct view_summary *summary = view->sources.summary;
	bool is_beside = summary && summary->draft.fd >= 0;

	say("%s: cannot write the page's data: %s",
	    is_beside ? view->path : output_temporary_path(), strerror(cause));
	return EXIT_FAILED;
}

static int fail(const struct view_session *view, int status)
{
	const struct view_summary *summary = view->sources.summary;

	if (summary && summary->file.cause)
		return fail_write(view, summary->file.cause);
	log_message(&console_log, LOG_ERROR,
		    recording_path(view->session.recording), LOG_NO_OFFSET,
		    "cannot be made a page: %s", error_text(status));
	return EXIT_FAILED;
}

static int run_window(struct view_engine *engine, struct time_window window,
		      struct step_callback *callback)
{
	struct view_session *view =
		container_of(engine, struct view_session, engine);
	struct session session = view->session;
	struct task_stacks *stacks;
	int status;

	session.window = window;
	session.done_ns = window.until_ns;
	/* Uses no threads: they would decode beyond the window, which is short.
	 */
	session.jobs = NULL;
	status = run_pipeline_unchecked(&session, callback, &stacks);
	task_stacks_free(stacks);
	return status ? -ERROR_FORMAT : 0;
}

/* Instructions are counted again for each query: their counts are not in the
 * summary.
 */
static int annotate(struct view_engine *engine, const char *name,
		    struct time_window window, FILE *out)
{
	struct view_session *view =
		container_of(engine, struct view_session, engine);
	const struct session *session = &view->session;
	const struct annotate_options options = {
		.lines = view->lines,
		.top = UINT64_MAX,
		.with_source = true,
	};
	struct name_choice functions = NAME_CHOICE_NONE;
	struct annotation annotation = annotation_of(&(struct annotation_input){
		.recording = session->recording,
		.image = session->image,
		.symbols = session->symbols,
		.functions = &functions,
		.filter = &session->filter,
		.window = window,
	});
	int status = name_choice_add(&functions, name) ? 0 : -ERROR_FORMAT;

	if (!status)
		status = session_annotate(session, &annotation);
	if (!status)
		status = annotate_json(&annotation, &options, out);
	annotation_free(&annotation);
	name_choice_free(&functions);
	return status;
}

/* Runs a pass over the recording for everything that uses @trackers. The caller
 * frees *@stacks.
 *
 * Returns 0, a negative enum error, or EXIT_FAILED after a message.
 */
static int run_pass(const struct session *session, struct trackers *trackers,
		    struct task_stacks **stacks)
{
	struct step_join *join = trackers_join(trackers);
	int status = -ERROR_MEMORY;

	if (join)
		status = run_pipeline_unchecked(
			session, step_join_callback(join), stacks);
	if (!status)
		status = step_join_end(join);
	if (!status)
		status = trackers_end(trackers);
	step_join_free(join);
	return status;
}

/* The tables that the page shows, besides the data of its own pass. */
static const struct attribution_table *const page_tables[] = {
	&explain_table, &block_table,	  &spins_table,
	&locks_table,	&arguments_table,
};

enum {
	PAGE_TABLES = sizeof(page_tables) / sizeof(*page_tables),
	MOST_ROWS = 1000
};

/* Writes the page's reports as a JSON object. Returns like render(). */
static int write_reports(struct event_handler *const *handlers,
			 const struct attribution_output *output)
{
	int status = 0;

	fputc('{', output->out);
	for (int i = 1; i < PAGE_TABLES && !status; i++) {
		fprintf(output->out, "%s\"%s\":", i > 1 ? "," : "",
			page_tables[i]->name);
		status = page_tables[i]->render(handlers[i], output);
	}
	fputc('}', output->out);
	return status;
}

/* Renders a part of the finished pass to *@text, which the caller frees: the
 * explanation, by the first of @handlers, or, if @are_reports, the reports of
 * the others. Returns 0 or a negative enum error.
 */
static int render_text(struct event_handler *const *handlers, bool are_reports,
		       const struct task_stacks *stacks, char **text)
{
	size_t size;
	struct attribution_output output = {
		.format = RECORD_JSON,
		.is_quiet = true,
		.top = are_reports ? MOST_ROWS : UINT64_MAX,
		.stacks = stacks,
		.out = open_memstream(text, &size),
	};
	int status;

	if (!output.out)
		return -ERROR_MEMORY;
	status = are_reports ? write_reports(handlers, &output) :
			       explain_table.render(handlers[0], &output);
	return fclose(output.out) == EOF && !status ? -ERROR_MEMORY : status;
}

/* Like view_session_fill(), for the explanation of a window alone. The chain of
 * causes may lead to threads at other times, so everything is decoded.
 */
static int explain_window(struct view_engine *engine, struct time_window window,
			  int32_t tid, char **text)
{
	struct view_session *view =
		container_of(engine, struct view_session, engine);
	struct attribution_input input = view->input;
	struct step_filter filter = view->session.filter;
	struct event_handler *handler = NULL;
	struct task_stacks *stacks = NULL;
	int status = -ERROR_MEMORY;

	*text = NULL;
	if (tid > 0) {
		filter.pids = &tid;
		filter.pid_count = 1;
	}
	input.filter = &filter;
	input.window = window;
	input.trackers = trackers_new(&input);
	if (input.trackers)
		handler = attribution_table_open(&explain_table, &input);
	if (handler)
		status = run_pass(&view->session, input.trackers, &stacks);
	if (!status)
		status = render_text(&handler, false, stacks, text);
	attribution_table_close(&explain_table, handler);
	trackers_free(input.trackers);
	task_stacks_free(stacks);
	return status > 0 ? -ERROR_FORMAT : status;
}

static uint64_t trace_bytes(const struct recording *recording)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < recording_stream_count(recording); i++)
		bytes += recording_stream(recording, i)->size_bytes;
	return bytes;
}

static int open_summary(struct view_session *view)
{
	const struct recording *recording = view->session.recording;
	const struct recording_info *info = recording_info(recording);
	const struct function_table *functions = view->sources.functions;
	struct view_summary *summary = NULL;

	view->path = checkpoint_index_path(recording, "view");
	if (!view->path)
		return -ERROR_MEMORY;
	if (!view->session.decodes_all &&
	    checkpoint_index_key(recording, functions, &view->key))
		summary = view_summary_load(view->path, view->key,
					    function_count(functions));
	if (!summary) {
		summary = view_summary_new(view->path, &console_log);
		if (!summary)
			return -ERROR_SYSTEM;
		summary->functions = function_count(functions);
		view->part_ns = view_builder_measure(summary,
						     info->first_time_ns,
						     info->last_time_ns,
						     trace_bytes(recording));
	}
	view->sources.summary = summary;
	return 0;
}

static int open_input(struct view_session *view)
{
	const struct session *session = &view->session;
	const struct function_table *functions =
		symbols_functions(session->symbols);

	view->events = known_events_new(session->recording);
	view->kinds =
		context_kinds_new(functions, symbols_arch(session->symbols));
	view->lines = lines_new(session->recording);
	view->engine.run = run_window;
	view->engine.annotate = annotate;
	view->engine.explain = explain_window;
	view->input = (struct attribution_input){
		.recording = session->recording,
		.symbols = session->symbols,
		.lines = view->lines,
		.names = session->names,
		.events = view->events,
		.kinds = view->kinds,
		.filter = &view->session.filter,
		.window = TIME_WINDOW_ALL,
	};
	view->sources = (struct view_sources){
		.engine = &view->engine,
		.recording = session->recording,
		.functions = functions,
		.kinds = view->kinds,
		.names = session->names,
		.recorder = recording_info(session->recording)->command,
	};
	return view->events && view->kinds && view->lines ? 0 : -ERROR_MEMORY;
}

int view_session_open(struct view_session *view,
		      const struct report_options *options)
{
	int status;

	*view = (struct view_session){ 0 };
	status = session_open(&view->session, options);
	if (!status)
		status = session_needs_time(&view->session, "the page", "");
	if (status)
		return status;
	status = open_input(view);
	if (!status)
		status = open_summary(view);
	return status < 0 ? fail(view, status) : EXIT_OK;
}

static const char *why_not_saved(const struct view_summary *summary, int cause)
{
	if (summary->draft.fd < 0)
		return "its directory cannot be written to";
	return strerror(summary->file.cause ? summary->file.cause : cause);
}

static int run_builder(struct view_session *view, struct view_builder *builder,
		       struct event_handler *const handlers[PAGE_TABLES])
{
	struct view_summary *summary = view->sources.summary;
	struct task_stacks *stacks = NULL;
	char *texts[2] = { NULL };
	int status = run_pass(&view->session, view->input.trackers, &stacks);

	for (int i = 0; i < 2 && !status; i++)
		status = render_text(handlers, i, stacks, &texts[i]);
	if (!status) {
		pthread_mutex_lock(&summary->lock);
		summary->explanation = texts[0];
		summary->reports = texts[1];
		pthread_mutex_unlock(&summary->lock);
		texts[0] = texts[1] = NULL;
	}
	if (!status)
		status = view_builder_end(builder);
	/* The builder needs the stacks for the tasks until its end. */
	task_stacks_free(stacks);
	free(texts[0]);
	free(texts[1]);
	return status < 0 ? fail(view, status) : status;
}

int view_session_fill(struct view_session *view)
{
	struct view_summary *summary = view->sources.summary;
	struct view_builder *builder = NULL;
	struct event_handler *handlers[PAGE_TABLES] = { NULL };
	bool is_open;
	int status;

	if (summary->is_complete)
		return EXIT_OK;
	view->input.trackers = trackers_new(&view->input);
	if (view->input.trackers)
		builder =
			view_builder_new(&view->input, summary, view->part_ns);
	is_open = builder;
	for (int i = 0; i < PAGE_TABLES && is_open; i++) {
		handlers[i] =
			attribution_table_open(page_tables[i], &view->input);
		is_open = handlers[i];
	}
	status = is_open ? run_builder(view, builder, handlers) :
			   fail(view, -ERROR_MEMORY);
	for (int i = 0; i < PAGE_TABLES; i++)
		attribution_table_close(page_tables[i], handlers[i]);
	view_builder_free(builder);
	trackers_free(view->input.trackers);
	if (status)
		return status;
	if (view->session.decodes_all)
		return EXIT_OK;
	pthread_mutex_lock(&summary->lock);
	if (view_summary_save(summary, view->key) < 0)
		log_message(
			&console_log, LOG_NOTE, view->path, LOG_NO_OFFSET,
			"not written: %s: the next view decodes everything again",
			why_not_saved(summary, errno));
	pthread_mutex_unlock(&summary->lock);
	return EXIT_OK;
}

int view_session_close(struct view_session *view)
{
	view_summary_free(view->sources.summary);
	known_events_free(view->events);
	context_kinds_free(view->kinds);
	lines_free(view->lines);
	free(view->path);
	return session_close(&view->session);
}

/* The most data on a page, before compression: so the file can be sent by mail.
 */
#define MOST_BYTES (UINT64_C(30) << 20)

struct file_page {
	const struct view_session *view;
	int status;
};

static void write_data(FILE *out, void *ctx)
{
	struct file_page *page = ctx;

	page->status = file_data_write(&page->view->sources, MOST_BYTES, out);
}

static int write_page(const struct view_session *view, FILE *out)
{
	struct file_page page = { .view = view };
	struct view_token nonce;

	if (!view_token_make(&nonce))
		return -ERROR_SYSTEM;
	page_write(out, &recording_page, nonce.text, write_data, &page);
	return page.status;
}

static int fail_page(const char *path, const char *why)
{
	say("--html: %s: not written: %s", path, why);
	return EXIT_FAILED;
}

/* Replaces the file atomically: readers see the whole page or the old file. */
static int write_file(const struct view_session *view, const char *path)
{
	struct new_file file;
	bool is_open = new_file_open(&file, path, 0666);
	FILE *out = is_open ? fdopen(dup(file.fd), "w") : NULL;
	int status = EXIT_OK;
	int error;

	if (!out) {
		status = fail_page(path, regular_file_error(errno));
	} else {
		error = write_page(view, out);
		if (!close_written(out))
			status = fail_page(path, strerror(errno));
		else if (error < 0)
			status = fail_page(path, error_text(error));
		else if (!new_file_finish(&file))
			status = fail_page(path, strerror(errno));
	}
	new_file_close(&file);
	return status;
}

/* Returns whether options select a part: a page always contains the whole
 * recording, or reports itself which part is missing.
 */
static bool chooses(const struct report_options *options)
{
	return options->output || options->format || options->since ||
	       options->until || options->pids.count || options->trees.count ||
	       name_choice_is_made(&options->comms) || options->cpus.count ||
	       options->top != UINT64_MAX;
}

int write_view_file(const struct report_options *options, const char *path)
{
	struct report_options unpaged = *options;
	struct view_session view;
	int close_status;
	int status;

	if (chooses(options)) {
		say("--html writes a page of the whole recording: it cannot be "
		    "combined with a selection");
		return EXIT_USAGE;
	}
	unpaged.is_paged = false;
	status = view_session_open(&view, &unpaged);
	if (!status && (input_has(view.session.input.path, path) ||
			(options->input && input_has(options->input, path)))) {
		fail_page(path, "is part of the recording");
		status = EXIT_USAGE;
	}
	if (!status)
		status = view_session_fill(&view);
	if (!status)
		status = write_file(&view, path);
	close_status = view_session_close(&view);
	return status ? status : close_status;
}
