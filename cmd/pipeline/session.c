/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/session.h"

#include "cmd/command.h"
#include "cmd/console/console_log.h"
#include "cmd/console/say.h"
#include "cmd/console/written.h"
#include "cmd/pipeline/pager.h"
#include "cmd/pipeline/session_groups.h"
#include "cmd/pipeline/session_recording.h"
#include "common/array.h"
#include "common/error.h"
#include "common/output_file.h"
#include "common/regular_file.h"
#include "decoder/code/code_image.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/tracepoint.h"
#include "execution/stream/segment_ring.h"
#include "report/text/colors.h"
#include "report/text/task_cgroups.h"
#include "report/text/task_names.h"
#include "report/text/time_unit.h"
#include "symbolize/elf/lines.h"
#include "symbolize/symbols/symbols.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_for_people(const struct report_options *options)
{
	return options->is_paged &&
	       (!options->format || !strcmp(options->format, "text"));
}

/* Follows the NO_COLOR convention (no-color.org); TERM=dumb is an editor's
 * terminal.
 */
static bool wants_colors(const struct report_options *options)
{
	const char *without = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	if (options->colors != COLORS_AUTO)
		return options->colors == COLORS_ALWAYS;
	return !options->output && isatty(STDOUT_FILENO) &&
	       !(without && *without) && terminal && strcmp(terminal, "dumb");
}

enum { OUTPUT_BYTES = 1 << 18 };

/* Output to a terminal or pager is line-buffered; other output uses a large
 * buffer.
 */
static void set_buffer(struct session *session)
{
	if (session->pager || isatty(fileno(session->out))) {
		setvbuf(session->out, NULL, _IOLBF, 0);
		return;
	}
	session->buffer = malloc(OUTPUT_BYTES);
	if (session->buffer)
		setvbuf(session->out, session->buffer, _IOFBF, OUTPUT_BYTES);
}

static int open_output(struct session *session,
		       const struct report_options *options)
{
	const char *path = options->output;

	if (options->capture) {
		session->colors = &colors_none;
		session->out = options->capture;
		session->is_captured = true;
		return 0;
	}
	session->colors = is_for_people(options) && wants_colors(options) ?
				  &colors_of_terminal :
				  &colors_none;
	if (!path && is_for_people(options))
		session->pager = pager_new();
	session->path = path;
	if (path) {
		session->file = output_file_open(path);
		session->out = session->file ?
				       output_file_stream(session->file) :
				       NULL;
	} else {
		session->out = pager_output(session->pager);
	}
	if (session->out) {
		set_buffer(session);
		return 0;
	}
	log_message(&console_log, LOG_ERROR, path, LOG_NO_OFFSET,
		    "cannot be written: %s", regular_file_error(errno));
	return EXIT_FAILED;
}

static int open_lines(struct session *session)
{
	session->lines =
		lines_new(recording_info(session->recording)->os_release);
	return session->lines ? 0 : -ERROR_MEMORY;
}

/* Starts as many threads as there are CPUs, unless --jobs is given. */
static int open_jobs(struct session *session,
		     const struct report_options *options)
{
	cpu_set_t cpus;
	unsigned int count = (unsigned int)options->jobs;

	if (!count && sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		count = (unsigned int)CPU_COUNT(&cpus);
	session->jobs = jobs_new(count ? count : 1);
	return session->jobs ? 0 : -ERROR_MEMORY;
}

static int open_parts(struct session *session,
		      const struct report_options *options)
{
	struct recording *recording = session->recording;
	int status = 0;

	/* function_graph records functions, so there is no code to follow. */
	if (recording_trace(recording) != RECORDING_TRACE_FUNCTION_GRAPH)
		status = code_image_open(recording, &console_log,
					 &session->image);
	if (!status)
		status = open_jobs(session, options);
	if (!status)
		status = symbols_open(recording, &console_log,
				      jobs_count(session->jobs),
				      &session->symbols);
	if (!status && options->names)
		status = symbols_display(session->symbols, options->names);
	if (!status)
		status = task_names_open(recording, &session->names);
	if (!status && options->wants_lines)
		status = open_lines(session);
	if (status < 0)
		log_message(&console_log, LOG_ERROR, recording_path(recording),
			    LOG_NO_OFFSET, "%s", error_text(status));
	return status < 0 ? EXIT_FAILED : 0;
}

/* Adds the processes of all chosen tasks to @pids. */
static int list_chosen(const struct session *session, struct array *pids)
{
	struct task task = { 0 };
	int32_t *pid;

	for (size_t i = 0;
	     task_names_at(session->names, i, &task.tid, &task.pid); i++) {
		if (!step_filter_task(&session->choice, &task))
			continue;
		pid = array_add(pids);
		if (!pid)
			return -ERROR_MEMORY;
		*pid = task.pid;
	}
	return 0;
}

/* Warns about program files whose symbols could not be read, unless no selected
 * process had them mapped.
 */
static int log_unread_programs(const struct session *session)
{
	static const int32_t none;
	struct array pids = ARRAY_OF(int32_t);
	int status = 0;

	if (!step_filter_has_tasks(&session->choice)) {
		status = symbols_log_unread(session->symbols, &console_log,
					    NULL, 0);
	} else {
		status = list_chosen(session, &pids);
		if (!status)
			status = symbols_log_unread(
				session->symbols, &console_log,
				pids.count ? pids.items : &none, pids.count);
	}
	array_free(&pids);
	return status < 0 ? EXIT_FAILED : 0;
}

int session_needs_time(const struct session *session, const char *option,
		       const char *value)
{
	const struct time_unit *unit = time_unit_of(session->recording);

	if (unit->is_time)
		return 0;
	say("%s%s%s: the trace has no timestamps that can be converted to "
	    "time, it only counts %s",
	    option, *value ? "=" : "", value, unit->name);
	return EXIT_USAGE;
}

/* Also warns users who see only standard error. */
static int check_time(const struct session *session,
		      const struct report_options *options)
{
	const struct time_unit *unit = time_unit_of(session->recording);

	if (unit->is_of_host)
		log_message(
			&console_log, LOG_NOTE,
			recording_path(session->recording), LOG_NO_OFFSET,
			"its times are from the clock of the virtual machine's "
			"host");
	if (recording_trace(session->recording) ==
	    RECORDING_TRACE_FUNCTION_GRAPH)
		log_message(
			&console_log, LOG_NOTE,
			recording_path(session->recording), LOG_NO_OFFSET,
			recording_graph_trace(session->recording)->has_functions ?
				"traced by the kernel's function_graph tracer: "
				"functions that are inlined or notrace are in "
				"their callers, and all times include the "
				"tracer's own" :
				"it has no functions, only task switches: "
				"record with trace-cmd record -p "
				"function_graph");
	if (unit->is_time)
		return 0;
	log_message(&console_log, LOG_NOTE, recording_path(session->recording),
		    LOG_NO_OFFSET,
		    "no times: the trace only counts "
		    "%s",
		    unit->name);
	if (options->since)
		return session_needs_time(session, "--since", "");
	if (options->until)
		return session_needs_time(session, "--until", "");
	return 0;
}

static int choose_engine(struct session *session,
			 const struct report_options *options)
{
	const struct recording *recording = session->recording;

	session->engine = engine_for(options->engine, recording);
	if (options->engine == ENGINE_DEFAULT ||
	    engine_reads(session->engine, recording))
		return 0;
	log_message(&console_log, LOG_ERROR, recording_path(recording),
		    LOG_NO_OFFSET, "--engine=%s cannot read its trace",
		    engine_name(session->engine));
	return EXIT_USAGE;
}

/* KTRACE_INDEX lets tests check that the contents of a window do not depend on
 * how much was skipped.
 */
static bool index_is(const char *use)
{
	const char *index = getenv("KTRACE_INDEX");

	return index && !strcmp(index, use);
}

int session_open_input(struct session *session,
		       const struct report_options *options)
{
	int status;

	*session = (struct session){ 0 };
	status = session_open_recording(session, options);
	if (!status)
		status = check_time(session, options);
	if (!status)
		status = choose_engine(session, options);
	if (!status)
		status = open_parts(session, options);
	if (!status &&
	    report_options_window(
		    options, recording_info(session->recording)->first_time_ns,
		    &session->window) < 0)
		status = EXIT_USAGE;
	session->done_ns = session->window.until_ns;
	session->choice = report_options_filter(options, session->names);
	session->filter = session->choice;
	if (!status)
		status = log_unread_programs(session);
	if (!status)
		status = session_open_groups(session, options);
	session->decodes_all = index_is("none");
	session->uses_points = index_is("points");
	return status;
}

int session_open(struct session *session, const struct report_options *options)
{
	int status = session_open_input(session, options);

	return status ? status : open_output(session, options);
}

/* Standard output stays open and keeps the buffer if that is not empty. */
static void release_stdout(struct session *session, bool has_failed)
{
	if (!session->buffer)
		return;
	if (!has_failed && !setvbuf(stdout, NULL, _IONBF, 0))
		free(session->buffer);
	session->buffer = NULL;
}

/* Captured output is in memory. */
static bool is_captured(const struct session *session)
{
	if (fflush(session->out) == 0 && !ferror(session->out))
		return true;
	say("%s", error_text(-ERROR_MEMORY));
	return false;
}

static bool is_written(struct session *session, bool is_whole)
{
	if (session->is_captured)
		return is_captured(session);
	if (!session->file)
		return written_flush(session->out) == EXIT_OK;
	if (output_file_close(session->file, is_whole))
		return true;
	written_fail(session->path);
	return false;
}

static int close_output(struct session *session, bool is_whole)
{
	bool has_failed = !is_written(session, is_whole);

	if (session->is_captured)
		return has_failed ? EXIT_FAILED : 0;
	if (session->pager)
		has_failed |= pager_close(session->pager) < 0;
	else if (!session->file)
		release_stdout(session, has_failed);
	free(session->buffer);
	return has_failed ? EXIT_FAILED : 0;
}

static int close_all(struct session *session, bool is_whole)
{
	lines_free(session->lines);
	task_groups_free(session->groups);
	task_cgroups_close(session->cgroups);
	task_names_close(session->names);
	jobs_free(session->jobs);
	symbols_close(session->symbols);
	code_image_close(session->image);
	recording_close(session->recording);
	input_close(&session->input);
	return session->out ? close_output(session, is_whole) : 0;
}

int session_close(struct session *session)
{
	return close_all(session, true);
}

int session_finish(struct session *session, int status)
{
	int close_status = close_all(session, !status);

	return status ? status : close_status;
}
