/* SPDX-License-Identifier: MIT */
#include "tables/profile/profile_table.h"

#include "attribution/table_records.h"
#include "attribution/trackers.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/profile/profile.h"
#include "report/profile/profile_report.h"
#include "report/steps/call_step.h"
#include "symbolize/symbols/symbols.h"
#include "tables/profile/beneficiary_profile_internal.h"
#include "tables/profile/wall_tree_internal.h"
#include "tables/text/recorded.h"

#include <stdio.h>

struct profile_in_pass {
	struct event_handler handler;
	const struct attribution_input *input;
	struct profile_scope scope;
	/* Exactly one is set: interrupt work charged to the interrupted task,
	 * charged to its beneficiary, or a profile of wall time.
	 */
	struct profile *by_victim;
	struct beneficiary_profile *by_beneficiary;
	struct wall_tree *wall;
	bool is_off_cpu;	 /* wall: only time off CPUs */
	const char *title;	 /* NULL: the renderer's */
	struct call_tree *shown; /* wall: the resulting tree */
	uint64_t part_ns[PROFILE_PARTS];
};

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	const struct profile_in_pass *profile =
		(const struct profile_in_pass *)handler;
	struct step_callback *victims = profile_callback(profile->by_victim);

	victims->consume(victims, step);
}

static void close_profile(struct event_handler *handler)
{
	struct profile_in_pass *profile = (struct profile_in_pass *)handler;

	profile_free(profile->by_victim);
	beneficiary_profile_free(profile->by_beneficiary);
	wall_tree_free(profile->wall);
	call_tree_free(profile->shown);
}

static struct profile_scope scope_of(const struct attribution_input *input)
{
	const struct profile_choice *choice = input->profile;

	return (struct profile_scope){
		.kinds = input->kinds,
		.shows = {
			[PROFILE_WORK] = !choice->only_tracer,
			[PROFILE_IDLE] = choice->with_idle,
			[PROFILE_TRACER] = choice->with_tracer ||
					   choice->only_tracer,
		},
	};
}

static bool open_profile(struct event_handler *handler,
			 const struct attribution_input *input)
{
	struct profile_in_pass *profile = (struct profile_in_pass *)handler;
	const struct profile_options options = {
		.filter = input->filter,
		.window = input->window,
		.by_process = input->profile->by_process,
		.groups = input->groups,
		.is_only_added = input->profile->renderer->only_adds,
		.scope = &profile->scope,
		.names = input->names,
		.recorder = recording_info(input->recording)->command,
	};

	profile->input = input;
	profile->scope = scope_of(input);
	if (!input->profile->by_beneficiary) {
		profile->handler.step = consume_step;
		profile->by_victim = profile_new(&options);
		return profile->by_victim;
	}
	profile->by_beneficiary = beneficiary_profile_new(input, &options);
	return profile->by_beneficiary &&
	       !trackers_follow(
		       input->trackers,
		       beneficiary_profile_handler(profile->by_beneficiary));
}

static bool open_of_wall(struct event_handler *handler,
			 const struct attribution_input *input,
			 bool only_off_cpu, const char *title)
{
	struct profile_in_pass *profile = (struct profile_in_pass *)handler;

	profile->input = input;
	profile->scope = scope_of(input);
	profile->title = title;
	profile->is_off_cpu = only_off_cpu;
	profile->wall = wall_tree_new(input, only_off_cpu);
	return profile->wall;
}

static bool open_wall(struct event_handler *handler,
		      const struct attribution_input *input)
{
	return open_of_wall(handler, input, false, "Wall time of all threads");
}

static bool open_off_cpu(struct event_handler *handler,
			 const struct attribution_input *input)
{
	return open_of_wall(handler, input, true,
			    "Time off CPUs of all threads");
}

struct step_callback *profile_table_callback(struct event_handler *handler)
{
	const struct profile_in_pass *profile =
		(const struct profile_in_pass *)handler;

	return profile->by_victim ? profile_callback(profile->by_victim) : NULL;
}

/* Ends the tree of wall time; excludes the tracer's functions if its tasks are
 * excluded.
 */
static int end_wall(struct profile_in_pass *profile,
		    struct profile_report *report)
{
	int status = wall_tree_end(profile->wall);

	if (status < 0)
		return status;
	profile->shown = profile_scope_apply(&profile->scope,
					     wall_tree_calls(profile->wall),
					     profile->part_ns);
	profile->part_ns[PROFILE_IDLE] += wall_tree_idle_ns(profile->wall);
	report->tree = profile->shown;
	report->part_ns = profile->part_ns;
	report->has_states = true;
	report->has_no_calls = profile->is_off_cpu;
	return profile->shown ? 0 : -ERROR_MEMORY;
}

/* Ends the profile and sets its members of @report. */
static int end_profile(struct profile_in_pass *profile,
		       struct profile_report *report)
{
	const struct beneficiary_profile *beneficiaries =
		profile->by_beneficiary;
	int status;

	if (profile->wall)
		return end_wall(profile, report);
	if (profile->by_victim) {
		status = profile_end(profile->by_victim);
		report->tree = profile_tree(profile->by_victim);
		report->part_ns = profile_part_times(profile->by_victim);
		return status;
	}
	status = beneficiary_profile_end(profile->by_beneficiary);
	report->tree = beneficiary_profile_tree(beneficiaries);
	report->part_ns = beneficiary_profile_part_times(beneficiaries);
	report->interrupts = beneficiary_profile_interrupts(beneficiaries);
	return status;
}

/* Writes the notes on time off CPUs to @notes. A picture has no room for them. */
static void explain_wall(const struct profile_in_pass *profile, FILE *notes)
{
	static const struct table_need needs[] = {
		{ .columns = "time off CPUs", .event = EVENT_SCHED_SWITCH },
		{ .columns = "which of it was sleep",
		  .event = EVENT_SCHED_WAKING },
	};
	struct recorded recorded =
		recorded_of(profile->input->recording, profile->input->events);

	if (profile->wall)
		recorded_explain(&recorded, needs,
				 sizeof(needs) / sizeof(*needs), notes);
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct profile_in_pass *profile = (struct profile_in_pass *)handler;
	const struct attribution_input *input = profile->input;
	const struct profile_choice *choice = input->profile;
	const struct profile_renderer *renderer = choice->renderer;
	struct profile_report report = {
		.recording = input->recording,
		.functions = symbols_functions(input->symbols),
		.lines = choice->lines,
		.names = input->names,
		.stacks = output->stacks,
		.filter = input->filter,
		.by_process = choice->by_process,
		.groups = input->groups,
		.scope = &profile->scope,
		.title = output->title ? output->title : profile->title,
		.top = output->top,
		.sort = output->sort,
		.colors = choice->colors,
	};
	int status = end_profile(profile, &report);

	if (!status)
		status = renderer->render(&report, output->out);
	if (!status && !renderer->has_title && choice->notes) {
		explain_wall(profile, choice->notes);
		render_interrupts(&report, choice->notes);
		render_left_out(&report, choice->notes);
	}
	if (!status && renderer->render_second)
		status = choice->render_beside(&report, renderer,
					       choice->output);
	return status;
}

static bool is_by_beneficiary(const struct attribution_input *input)
{
	return input->profile->by_beneficiary;
}

const struct attribution_table profile_table = {
	.columns = flat_columns,
	.has_groups = true,
	.size = sizeof(struct profile_in_pass),
	.open = open_profile,
	.render = render,
	.close = close_profile,
	.records = &beneficiary_records,
	.are_needed = is_by_beneficiary,
	.owner = OWNER_AT(struct profile_in_pass, by_beneficiary),
};

const struct attribution_table wall_profile_table = {
	.name = "wall",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct profile_in_pass),
	.open = open_wall,
	.render = render,
	.close = close_profile,
	.records = &wall_tree_records,
	.owner = OWNER_AT(struct profile_in_pass, wall),
};

const struct attribution_table off_cpu_profile_table = {
	.name = "off-cpu",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct profile_in_pass),
	.open = open_off_cpu,
	.render = render,
	.close = close_profile,
	.records = &off_cpu_tree_records,
	.owner = OWNER_AT(struct profile_in_pass, wall),
};
