/* SPDX-License-Identifier: MIT */
#include "analysis/cpu_pipeline.h"
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/events/event_compare.h"
#include "cmd/events/event_text.h"
#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "common/error.h"
#include "decoder/recording/recording.h"

#include <inttypes.h>
#include <stdio.h>

/* `ktrace-hw verify`: decodes each stream of a recording with our own engine
 * and with a library (analysis/engine.h), and compares their function events
 * (cmd/events/event_compare.h).
 */

/* Both engines, applied to one stream. */
struct stream_verifier {
	struct session sessions[2];
	struct cpu_pipeline pipelines[2];
	struct event_window windows[2];
	struct event_comparison result;
};

static void write_difference(const struct session *session,
			     const struct stream_verifier *verifier)
{
	const struct event_comparison *result = &verifier->result;

	fprintf(session->out, "  differs%s\n",
		result->is_time ? " in time: not within each other's bounds" :
				  "");
	for (int i = 0; i < 2; i++) {
		fprintf(session->out, "  %-8s event %" PRIu64 ": ",
			engine_name(verifier->sessions[i].engine),
			result->number[i]);
		event_write(session->out, session->symbols, &result->first[i]);
	}
}

static void write_result(const struct session *session,
			 const struct aux_stream *stream,
			 const struct stream_verifier *verifier)
{
	const struct event_comparison *result = &verifier->result;

	fprintf(session->out,
		"stream %" PRIu32 " cpu %d: %" PRIu64 " events equal, %" PRIu64
		" of them to the ns\n",
		stream->index, stream->cpu, result->compared, result->same_ns);
	for (int i = 0; i < 2; i++)
		if (result->gaps[i] || result->alone[i])
			fprintf(session->out,
				"  %-8s %" PRIu64 " gaps, %" PRIu64
				" events where the other has one\n",
				engine_name(verifier->sessions[i].engine),
				result->gaps[i], result->alone[i]);
	if (result->differs)
		write_difference(session, verifier);
}

static int compare(struct stream_verifier *verifier, size_t index)
{
	for (int i = 0; i < 2; i++) {
		const struct pass_input pass =
			session_pass(&verifier->sessions[i]);
		int status = cpu_pipeline_open(&verifier->pipelines[i], &pass,
					       index, NULL);

		if (status < 0)
			return status;
		event_window_init(&verifier->windows[i],
				  verifier->pipelines[i].next,
				  verifier->pipelines[i].next_ctx);
	}
	return event_compare(&verifier->windows[0], &verifier->windows[1],
			     &verifier->result);
}

/* Returns whether the two engines agree. They do not if they have events but
 * none in common.
 */
static bool is_good(const struct event_comparison *result)
{
	bool has_events = result->alone[0] && result->alone[1];

	return !result->differs && (result->compared || !has_events);
}

/* Returns whether both engines agree, or a negative enum error. */
static int verify_stream(const struct session *session, size_t index)
{
	struct stream_verifier verifier = {
		.sessions = { *session, *session },
	};
	int status;

	verifier.sessions[1].engine = engine_second(session->recording);
	status = compare(&verifier, index);
	if (status >= 0) {
		write_result(session,
			     recording_stream(session->recording, index),
			     &verifier);
		status = is_good(&verifier.result);
	}
	for (int i = 0; i < 2; i++) {
		event_window_free(&verifier.windows[i]);
		cpu_pipeline_close(&verifier.pipelines[i]);
	}
	return status;
}

static int verify_streams(const struct session *session)
{
	size_t count = recording_stream_count(session->recording);
	int result = EXIT_OK;

	for (size_t i = 0; i < count; i++) {
		const struct aux_stream *stream =
			recording_stream(session->recording, i);
		int status;

		if (!step_filter_cpu(&session->filter, (uint32_t)stream->cpu))
			continue;
		status = verify_stream(session, i);
		if (status < 0) {
			log_message(&console_log, LOG_ERROR,
				    recording_path(session->recording),
				    LOG_NO_OFFSET, "%s", error_text(status));
			return EXIT_FAILED;
		}
		if (!status)
			result = EXIT_FAILED;
	}
	return result;
}

static int verify(struct session *session)
{
	const char *path = recording_path(session->recording);

	if (recording_trace(session->recording) ==
	    RECORDING_TRACE_FUNCTION_GRAPH)
		log_message(
			&console_log, LOG_ERROR, path, LOG_NO_OFFSET,
			"the kernel's function_graph tracer wrote it: there is "
			"no trace to decode");
	else if (session->engine == engine_second(session->recording))
		log_message(&console_log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "only %s reads its trace",
			    engine_name(session->engine));
	else
		return verify_streams(session);
	return EXIT_USAGE;
}

/* Rejects options that select or format output: the whole recording is
 * compared, and the output is not a report.
 */
static bool can_do(const struct report_options *options)
{
	const char *name = options->since  ? "since" :
			   options->until  ? "until" :
			   options->format ? "format" :
			   options->engine ? "engine" :
					     NULL;

	if (name)
		say_of("verify", "does not take --%s", name);
	return !name;
}

static int verify_recording(const struct report_options *options)
{
	struct session session;
	int status = session_open(&session, options);
	int close_status;

	if (!status)
		status = verify(&session);
	close_status = session_close(&session);
	return status ? status : close_status;
}

static int run_verify(int argc, char **argv)
{
	const struct option_set set = {
		.command = "verify",
		.purpose = "Decodes a recording with both engines and prints "
			   "where they first differ.",
		.formats = "text",
		.has_no_tasks = true,
		.has_no_rows = true,
		.takes_input = true,
		.shows_code = true,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	if (status < 0)
		status = can_do(&options) ? verify_recording(&options) :
					    EXIT_USAGE;
	report_options_free(&options);
	return status;
}

const struct command verify_command = {
	.name = "verify",
	.summary = "compare the engines that decode a recording",
	.run = run_verify,
};
