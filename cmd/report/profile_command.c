/* SPDX-License-Identifier: MIT */
#include "cmd/report/profile_command.h"

#include "attribution/events/known_events.h"
#include "attribution/processes/time_account.h"
#include "attribution/profile/beneficiary_profile.h"
#include "attribution/table.h"
#include "attribution/trackers.h"
#include "cmd/command.h"
#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "cmd/report/attribution_command.h"
#include "cmd/report/profile_files.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/profile/profile.h"
#include "report/profile/profile_report.h"
#include "report/text/time_unit.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/symbols/symbols.h"

#include <stdio.h>

/* This is what is to be made of a recording. */
struct profile_job {
	const struct session *session;
	const struct profile_renderer *renderer;
	const struct report_options *options;
	const struct profile_scope *scope;
	/* This is what the kernel said of whom interrupt work is for; NULL: it
	 * is whom it stopped.
	 */
	const struct known_events *events;
	bool by_process;
};

/* A finished profile. */
struct made_profile {
	const struct call_tree *tree;
	const uint64_t *part_ns;
	const struct profile_interrupts *interrupts; /* or NULL */
	const struct task_stacks *stacks;
};

static int render(const struct profile_job *job,
		  const struct made_profile *made)
{
	const struct session *session = job->session;
	const struct profile_renderer *renderer = job->renderer;
	const struct report_options *options = job->options;
	const struct profile_report report = {
		.recording = session->recording,
		.functions = symbols_functions(session->symbols),
		.lines = session->lines,
		.names = session->names,
		.stacks = made->stacks,
		.tree = made->tree,
		.filter = &session->filter,
		.by_process = job->by_process,
		.groups = session->groups,
		.scope = job->scope,
		.part_ns = made->part_ns,
		.interrupts = made->interrupts,
		.title = options->title,
		.top = options->top,
		.sort = options->sort,
		.colors = session->colors,
	};
	int status = render_to(&report, renderer->render, session->out);

	if (!status && !renderer->has_title && !options->capture) {
		render_interrupts(&report, stderr);
		render_left_out(&report, stderr);
	}
	if (!status && renderer->render_second)
		status = render_beside(&report, renderer, options->output);
	return status;
}

static struct profile_options options_of(const struct profile_job *job)
{
	const struct session *session = job->session;

	return (struct profile_options){
		.filter = &session->filter,
		.window = session->window,
		.by_process = job->by_process,
		.groups = session->groups,
		.scope = job->scope,
		.names = session->names,
		.recorder = recording_info(session->recording)->command,
	};
}

/* Interrupt work is under whom it stopped. */
static int profile_by_victim(const struct profile_job *job)
{
	const struct profile_options options = options_of(job);
	struct profile *profile = profile_new(&options);
	struct task_stacks *stacks = NULL;
	int status = EXIT_FAILED;

	if (profile)
		status = run_pipeline(job->session, profile_callback(profile),
				      &stacks);
	if (!status && profile_end(profile) < 0)
		status = EXIT_FAILED;
	if (!status)
		status = render(job,
				&(struct made_profile){
					.tree = profile_tree(profile),
					.part_ns = profile_part_times(profile),
					.stacks = stacks,
				});
	task_stacks_free(stacks);
	profile_free(profile);
	return status;
}

/* Interrupt work is under whom it was for. */
static int profile_by_beneficiary(const struct profile_job *job)
{
	const struct session *session = job->session;
	const struct profile_options options = options_of(job);
	struct attribution_input input = {
		.recording = session->recording,
		.symbols = session->symbols,
		.names = session->names,
		.events = job->events,
		.kinds = job->scope->kinds,
		.filter = &session->filter,
		.window = session->window,
	};
	struct beneficiary_profile *profile = NULL;
	struct task_stacks *stacks = NULL;
	int status = EXIT_FAILED;

	input.trackers = trackers_new(&input);
	if (input.trackers)
		profile = beneficiary_profile_new(&input, &options);
	if (profile)
		status = run_handler(session, &input,
				     beneficiary_profile_handler(profile),
				     &stacks);
	if (!status)
		status = beneficiary_profile_end(profile);
	if (!status)
		status = render(
			job,
			&(struct made_profile){
				.tree = beneficiary_profile_tree(profile),
				.part_ns =
					beneficiary_profile_part_times(profile),
				.interrupts =
					beneficiary_profile_interrupts(profile),
				.stacks = stacks,
			});
	task_stacks_free(stacks);
	beneficiary_profile_free(profile);
	trackers_free(input.trackers);
	if (status < 0)
		fprintf(stderr, "ktrace-hw: %s\n", error_text(status));
	return status < 0 ? EXIT_FAILED : status;
}

/* Returns whether it is known for whom interrupt work was. */
static bool knows_beneficiaries(const struct session *session,
				const struct known_events *events)
{
	return time_unit_of(session->recording)->is_time &&
	       time_accounts_follow(events);
}

/* Chooses whose interrupt work is, with @events, and makes the profile. */
static int profile_billed(struct profile_job *job,
			  const struct known_events *events)
{
	enum bill_choice bill = job->options->bill;
	enum group_by by = job->options->by;
	bool is_known = knows_beneficiaries(job->session, events);

	if (bill == BILL_BENEFICIARY && !is_known) {
		fprintf(stderr, "ktrace-hw: --bill: the recording does not "
				"tell for whom interrupt work was (record "
				"--events=attribution)\n");
		return EXIT_FAILED;
	}
	/* Interrupt work is for processes. */
	if (by == GROUP_BY_THREAD && bill == BILL_BENEFICIARY) {
		fputs("ktrace-hw: --bill=beneficiary does not go with "
		      "--by=thread: interrupt work is for a process\n",
		      stderr);
		return EXIT_USAGE;
	}
	if (by == GROUP_BY_THREAD)
		bill = BILL_VICTIM;
	if (bill == BILL_BENEFICIARY)
		job->by_process = true;
	/* Whoever it is for, in a sum of all it is the same. */
	if (bill == BILL_VICTIM || !job->by_process || !is_known)
		return profile_by_victim(job);
	job->events = events;
	return profile_by_beneficiary(job);
}

static int profile_session(const struct session *session,
			   const struct profile_renderer *renderer,
			   const struct report_options *options)
{
	struct known_events *events = known_events_new(session->recording);
	struct context_kinds *kinds =
		context_kinds_new(symbols_functions(session->symbols),
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
	struct profile_job job = {
		.session = session,
		.renderer = renderer,
		.options = options,
		.scope = &scope,
		.by_process = renderer->by_process || session->groups ||
			      step_filter_has_tasks(&session->choice),
	};
	int status = EXIT_FAILED;

	if (kinds && events)
		status = profile_billed(&job, events);
	known_events_free(events);
	context_kinds_free(kinds);
	return status;
}

int run_profile(const struct report_options *options,
		const struct profile_renderer *renderer)
{
	struct session session;
	int status;
	int close_status;

	if (renderer->render_second && !options->output) {
		fprintf(stderr,
			"ktrace-hw: --format=%s writes two files: name "
			"the first with -o FILE\n",
			renderer->format);
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
