/* SPDX-License-Identifier: MIT */
#include "cmd/profile_command.h"

#include "cmd/command.h"
#include "cmd/pipeline.h"
#include "cmd/session.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/profile/profile.h"
#include "report/profile/profile_report.h"
#include "symbolize/symbols.h"
#include "symbolize/work_kinds.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int render_to(const struct profile_report *report,
		     render_profile *render, FILE *out)
{
	int status = render(report, out);

	if (!status)
		return EXIT_OK;
	if (status == -ERROR_NOT_FOUND) {
		fprintf(stderr, "ktrace-hw: --sort: no column '%s' here\n",
			report->sort);
		return EXIT_USAGE;
	}
	fprintf(stderr, "ktrace-hw: %s\n", error_text(status));
	return EXIT_FAILED;
}

static int render_second(const struct profile_report *report,
			 render_profile *render, const char *path)
{
	char name[PATH_MAX];
	FILE *out;
	int status;

	snprintf(name, sizeof(name), "%s.elf", path);
	out = fopen(name, "we");
	if (!out) {
		fprintf(stderr, "ktrace-hw: %s: cannot be written: %s\n", name,
			strerror(errno));
		return EXIT_FAILED;
	}
	status = render_to(report, render, out);
	if (fclose(out) == EOF && !status) {
		fprintf(stderr, "ktrace-hw: %s: not written: %s\n", name,
			strerror(errno));
		status = EXIT_FAILED;
	}
	return status;
}

static bool is_by_process(const struct session *session,
			  const struct profile_renderer *renderer)
{
	return renderer->by_process || step_filter_has_tasks(&session->filter);
}

static int render(const struct session *session, const struct profile *profile,
		  const struct profile_scope *scope,
		  const struct task_stacks *stacks,
		  const struct profile_renderer *renderer,
		  const struct report_options *options)
{
	const struct profile_report report = {
		.recording = session->recording,
		.functions = symbols_functions(session->symbols),
		.lines = session->lines,
		.names = session->names,
		.stacks = stacks,
		.tree = profile_tree(profile),
		.filter = &session->filter,
		.by_process = is_by_process(session, renderer),
		.scope = scope,
		.part_ns = profile_part_times(profile),
		.title = options->title,
		.top = options->top,
		.sort = options->sort,
		.colors = session->colors,
	};
	int status = render_to(&report, renderer->render, session->out);

	if (!status && !renderer->has_title && !options->capture)
		render_left_out(&report, stderr);
	if (!status && renderer->render_second)
		status = render_second(&report, renderer->render_second,
				       options->output);
	return status;
}

static int profile_scoped(const struct session *session,
			  const struct profile_renderer *renderer,
			  const struct report_options *options,
			  const struct profile_scope *scope)
{
	const struct profile_options profile_options = {
		.filter = &session->filter,
		.window = session->window,
		.by_process = is_by_process(session, renderer),
		.scope = scope,
		.names = session->names,
		.recorder = recording_info(session->recording)->command,
	};
	struct profile *profile = profile_new(&profile_options);
	struct task_stacks *stacks = NULL;
	int status = EXIT_FAILED;

	if (profile)
		status = run_pipeline(session, profile_sink(profile), &stacks);
	if (!status && profile_end(profile) < 0)
		status = EXIT_FAILED;
	if (!status)
		status = render(session, profile, scope, stacks, renderer,
				options);
	task_stacks_free(stacks);
	profile_free(profile);
	return status;
}

static int profile_session(const struct session *session,
			   const struct profile_renderer *renderer,
			   const struct report_options *options)
{
	struct work_kinds *kinds =
		work_kinds_new(symbols_functions(session->symbols),
			       symbols_arch(session->symbols));
	const struct profile_scope scope = {
		.kinds = kinds,
		.shows = {
			[PROFILE_WORK] = !options->only_tracer,
			[PROFILE_IDLE] = options->with_idle,
			[PROFILE_TRACER] = options->with_tracer ||
					   options->only_tracer,
		},
	};
	int status = EXIT_FAILED;

	if (kinds)
		status = profile_scoped(session, renderer, options, &scope);
	work_kinds_free(kinds);
	return status;
}

int run_profile(const struct report_options *options,
		const struct profile_renderer *renderer)
{
	struct session session;
	int status;
	int close_status;

	if (renderer->render_second && !options->output) {
		fprintf(stderr, "ktrace-hw: --format=%s writes two files: name "
				"the first with -o FILE\n", renderer->format);
		return EXIT_USAGE;
	}
	status = session_open(&session, options);
	if (!status && renderer->needs_time)
		status = session_needs_time(&session, "--format",
					    renderer->format);
	if (!status)
		status = profile_session(&session, renderer, options);
	close_status = session_close(&session);
	return status ? status : close_status;
}
