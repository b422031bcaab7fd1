/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/pipeline.h"

#include "analysis/pass.h"
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/pipeline/choice_check.h"
#include "cmd/pipeline/pager_internal.h"
#include "cmd/pipeline/session.h"
#include "common/clocks.h"
#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "report/annotate/annotation.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* A progress line for long work. Shows nothing if standard error is not a
 * terminal.
 */
struct progress {
	struct pager *pager; /* the line must not disturb it */
	bool is_shown;
	bool has_line;
	uint64_t first_ns; /* recording's clock */
	uint64_t last_ns;
	uint64_t drawn_ms; /* time of the last update, machine's clock */
	uint32_t calls;
};

enum { CALLS_PER_LOOK = 1 << 8, MS_PER_LINE = 200 };

static struct progress progress_of(const struct session *session,
				   uint64_t first_ns, uint64_t last_ns)
{
	return (struct progress){
		.pager = session->pager,
		.is_shown = isatty(STDERR_FILENO) && notes_are_shown() &&
			    last_ns > first_ns,
		.first_ns = first_ns,
		.last_ns = last_ns,
		.drawn_ms = monotonic_ms(),
	};
}

static void draw(struct progress *progress, uint64_t time_ns)
{
	uint64_t now = monotonic_ms();
	uint64_t done =
		time_ns > progress->first_ns ? time_ns - progress->first_ns : 0;
	uint64_t all = progress->last_ns - progress->first_ns;

	if (now - progress->drawn_ms < MS_PER_LINE)
		return;
	progress->drawn_ms = now;
	progress->has_line = true;
	fprintf(stderr, "\rdecoding: %3.0f %% ",
		done < all ? 100.0 * (double)done / (double)all : 100.0);
}

/* Shows on the line of @ctx, a struct progress, that decoding has reached
 * @time_ns. Cheap enough to call for every run of events.
 */
static void progress_at(void *ctx, uint64_t time_ns)
{
	struct progress *progress = ctx;

	if (progress->is_shown && !pager_has_begun(progress->pager) &&
	    !(++progress->calls % CALLS_PER_LOOK))
		draw(progress, time_ns);
}

/* Removes the progress line. */
static void progress_end(struct progress *progress)
{
	if (progress->has_line)
		fputs("\r\033[K", stderr);
}

/* Returns the progress of a pass over the session's window, which ends where
 * the trace ends, or earlier.
 */
static struct progress progress_of_window(const struct session *session)
{
	const struct recording_info *info = recording_info(session->recording);
	uint64_t last_ns = info->last_time_ns;

	if (recording_time(session->recording) != RECORDING_TIME_NANOSECONDS)
		last_ns = 0;
	else if (last_ns > session->done_ns)
		last_ns = session->done_ns;
	return progress_of(session, info->first_time_ns, last_ns);
}

struct pass_input session_pass(const struct session *session)
{
	return (struct pass_input){
		.recording = session->recording,
		.image = session->image,
		.symbols = session->symbols,
		.jobs = session->jobs,
		.log = &console_log,
		.engine = session->engine,
		.window = session->window,
		.done_ns = session->done_ns,
		.decodes_all = session->decodes_all,
		.uses_points = session->uses_points,
	};
}

int pipeline_run(const struct session *session, struct step_callback *callback,
		 struct task_stacks **stacks)
{
	struct progress progress = progress_of_window(session);
	struct pass_input pass = session_pass(session);
	int status;

	pass.progress = progress_at;
	pass.progress_ctx = &progress;
	status = pass_run(&pass, callback, stacks);
	progress_end(&progress);
	return status;
}

static int no_trace(const struct session *session)
{
	log_message(&console_log, LOG_ERROR, recording_path(session->recording),
		    LOG_NO_OFFSET,
		    "contains no trace; make a recording with ktrace-hw "
		    "record");
	return EXIT_FAILED;
}

int run_pipeline_unchecked(const struct session *session,
			   struct step_callback *callback,
			   struct task_stacks **stacks)
{
	int status;

	*stacks = NULL;
	if (!recording_stream_count(session->recording))
		return no_trace(session);
	status = pipeline_run(session, callback, stacks);
	if (status == 0)
		return EXIT_OK;
	log_message(&console_log, LOG_ERROR, recording_path(session->recording),
		    LOG_NO_OFFSET, "not decoded: %s", error_text(status));
	return EXIT_FAILED;
}

int run_pipeline(const struct session *session, struct step_callback *callback,
		 struct task_stacks **stacks)
{
	struct choice_check check;
	int status = run_pipeline_unchecked(
		session, choice_check_begin(&check, session, callback), stacks);

	return status ? status : choice_check_end(&check);
}

static int annotate_stream(const struct session *session, size_t index,
			   struct annotation *annotation)
{
	const struct flow_input input = {
		.recording = session->recording,
		.stream = recording_stream(session->recording, index),
		.image = session->image,
		.log = &console_log,
		.without_bounds = true,
	};
	struct flow_source *source;
	int status;

	if (!step_filter_cpu(&session->filter, (uint32_t)input.stream->cpu))
		return 0;
	status = engine_open_blocks(session->engine, &input, &source);
	if (status < 0)
		return status;
	status = annotation_add_stream(annotation, input.stream, source);
	flow_source_close(source);
	return status;
}

int session_annotate(const struct session *session,
		     struct annotation *annotation)
{
	int status = 0;

	for (size_t i = 0;
	     !status && i < recording_stream_count(session->recording); i++)
		status = annotate_stream(session, i, annotation);
	return status;
}
