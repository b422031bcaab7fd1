/* SPDX-License-Identifier: MIT */
#include "cmd/report/profile_table.h"

#include "attribution/table_records.h"
#include "attribution/trackers.h"
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/report_options.h"
#include "cmd/pipeline/session.h"
#include "common/closest_word.h"
#include "common/error.h"
#include "common/files/output_file.h"
#include "common/files/regular_file.h"
#include "decoder/recording/recording.h"
#include "report/profile/profile.h"
#include "report/profile/profile_report.h"
#include "report/steps/call_step.h"
#include "report/text/duration_text.h"
#include "symbolize/symbols/symbols.h"
#include "tables/processes/time_account.h"
#include "tables/profile/beneficiary_profile.h"
#include "tables/profile/wall_tree.h"
#include "tables/text/recorded.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sort_refuse(const char *sort, const char *columns)
{
	struct closest_word closest = closest_word_to(sort);
	char similar[CLOSEST_WORD_TEXT];

	closest_word_offer_list(&closest, columns ? columns : "");
	say("--sort: no column '%s' here%s%s%s", sort,
	    closest_word_text(&closest, "", similar),
	    columns ? "; there are " : "", columns ? columns : "");
	return EXIT_USAGE;
}

int render_failure(int status, const char *sort, const char *columns)
{
	if (status == -ERROR_NOT_FOUND)
		return sort_refuse(sort, columns);
	say("%s", error_text(status));
	return EXIT_FAILED;
}

/* Returns whether the beneficiaries of interrupt work are known. */
static bool knows_beneficiaries(const struct session *session,
				const struct known_events *events)
{
	return time_unit_of(session->recording)->is_time &&
	       time_accounts_follow(events);
}

/* Beneficiaries need both events (time_accounts_follow()). */
static int refuse_beneficiary(const struct profile_choice *choice,
			      const struct known_events *events)
{
	static const struct table_need needs[] = {
		{ .columns = "beneficiaries of interrupt work",
		  .event = EVENT_HRTIMER_EXPIRE },
		{ .columns = "beneficiaries of interrupt work",
		  .event = EVENT_WORK_BEGIN },
	};
	struct recorded recorded =
		recorded_of(choice->session->recording, events);
	char *text = recorded_missing_text(
		&recorded, &needs[recorded_has(&recorded, &needs[0])]);

	say("--bill: %s", text ? text : error_text(-ERROR_MEMORY));
	free(text);
	return EXIT_FAILED;
}

/* Chooses the process that interrupt work is charged to. */
static int choose_bill(struct profile_choice *choice, bool is_known,
		       const struct known_events *events)
{
	enum bill_choice bill = choice->options->bill;
	enum group_by by = choice->options->by;

	if (bill == BILL_BENEFICIARY && !is_known)
		return refuse_beneficiary(choice, events);
	/* Beneficiaries of interrupt work are processes. */
	if (by == GROUP_BY_THREAD && bill == BILL_BENEFICIARY) {
		say("--bill=beneficiary cannot be combined with --by=thread: "
		    "interrupt work is charged to processes");
		return EXIT_USAGE;
	}
	if (by == GROUP_BY_THREAD)
		bill = BILL_VICTIM;
	if (bill == BILL_BENEFICIARY)
		choice->by_process = true;
	/* A sum over all processes is the same for any beneficiary. */
	choice->by_beneficiary = bill != BILL_VICTIM && choice->by_process &&
				 is_known;
	return EXIT_OK;
}

int profile_choose(struct profile_choice *choice, const struct session *session,
		   const struct known_events *events)
{
	const struct profile_renderer *renderer = choice->renderer;
	int status = EXIT_OK;

	choice->session = session;
	choice->by_process = choice->is_of_wall || renderer->by_process ||
			     session->groups ||
			     step_filter_has_tasks(&session->choice);
	if (renderer->needs_time)
		status = session_needs_time(session, "--format",
					    renderer->format);
	if (status || choice->is_of_wall)
		return status;
	return choose_bill(choice, knows_beneficiaries(session, events),
			   events);
}

/* Renders @report to @out. Returns an exit code, after a message on standard
 * error if it failed.
 */
static int render_to(const struct profile_report *report,
		     render_profile *render, FILE *out)
{
	int status = render(report, out);

	return status ? render_failure(status, report->sort, flat_columns) :
			EXIT_OK;
}

static int render_file(const struct profile_report *report,
		       render_profile *render, const char *path,
		       const char *suffix)
{
	char name[PATH_MAX];
	struct output_file *file;
	int status;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	file = output_file_open(name);
	if (!file) {
		say("%s: cannot be written: %s", name,
		    regular_file_error(errno));
		return EXIT_FAILED;
	}
	status = render_to(report, render, output_file_stream(file));
	if (!output_file_close(file, !status) && !status) {
		say("%s: not written: %s", name, strerror(errno));
		status = EXIT_FAILED;
	}
	return status;
}

/* Writes the file name for the group @label to @name, which has @size bytes.
 * Different groups get different names.
 */
static void name_file(char *name, size_t size, const char *path,
		      const char *label)
{
	size_t used = (size_t)snprintf(name, size, "%s.", path);

	for (; *label && used + 4 < size; label++) {
		unsigned char byte = (unsigned char)*label;

		if (byte == '/')
			name[used++] = ',';
		else if (isalnum(byte) || strchr("._+@:-", byte))
			name[used++] = (char)byte;
		else
			used += (size_t)snprintf(name + used, size - used,
						 "%%%02X", byte);
		name[used] = '\0';
	}
}

static int render_group(const struct profile_report *report,
			const struct profile_renderer *renderer,
			const char *path, uint32_t root)
{
	struct group_label label =
		tree_label(report, call_tree_pid(report->tree, root));
	struct call_tree *tree = call_tree_part(report->tree, root);
	struct profile_report part = *report;
	char name[PATH_MAX];
	int status;

	if (!tree) {
		say("%s", error_text(-ERROR_MEMORY));
		return EXIT_FAILED;
	}
	part.tree = tree;
	part.groups = NULL;
	part.by_process = false;
	name_file(name, sizeof(name), path, label.text);
	status = render_file(&part, renderer->render, name, "");
	if (!status)
		status = render_file(&part, renderer->render_second, name,
				     ".elf");
	call_tree_free(tree);
	return status;
}

/* Writes @renderer's files beside the file @path: its second file and, if
 * @report has groups, both files of each group, named <path>.<group>. In a
 * group's name "/" becomes "," and other characters unusual in file names
 * become %XX.
 *
 * Returns like render_to().
 */
static int render_beside(const struct profile_report *report,
			 const struct profile_renderer *renderer,
			 const char *path)
{
	uint32_t root = call_tree_first_root(report->tree);
	int status = render_file(report, renderer->render_second, path, ".elf");

	for (; report->groups && !status && root != CALL_NODE_NONE;
	     root = call_tree_next_sibling(report->tree, root))
		status = render_group(report, renderer, path, root);
	return status;
}

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

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	const struct profile_in_pass *profile =
		(const struct profile_in_pass *)handler;
	struct step_callback *victims = profile_callback(profile->by_victim);

	victims->take(victims, step);
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
	const struct report_options *options = input->profile->options;

	return (struct profile_scope){
		.kinds = input->kinds,
		.shows = {
			[PROFILE_WORK] = !options->only_tracer,
			[PROFILE_IDLE] = options->with_idle ||
					 input->profile->is_of_wall,
			[PROFILE_TRACER] = options->with_tracer ||
					   options->only_tracer,
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
		profile->handler.step = take_step;
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

/* Writes the notes on time off CPUs. A picture has no room for them. */
static void explain_wall(const struct profile_in_pass *profile)
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
				 sizeof(needs) / sizeof(*needs), stderr);
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
		.lines = choice->session->lines,
		.names = input->names,
		.stacks = output->stacks,
		.filter = input->filter,
		.by_process = choice->by_process,
		.groups = input->groups,
		.scope = &profile->scope,
		.title = output->title ? output->title : profile->title,
		.top = output->top,
		.sort = output->sort,
		.colors = choice->session->colors,
	};
	int status = end_profile(profile, &report);

	if (!status)
		status = renderer->render(&report, output->out);
	if (!status && !renderer->has_title && !choice->options->capture &&
	    notes_are_shown()) {
		explain_wall(profile);
		render_interrupts(&report, stderr);
		render_left_out(&report, stderr);
	}
	if (!status && renderer->render_second)
		status = render_beside(&report, renderer,
				       choice->options->output);
	return status;
}

static bool is_by_beneficiary(const struct attribution_input *input)
{
	return input->profile->by_beneficiary;
}

static struct beneficiary_profile *by_beneficiary(struct event_handler *handler)
{
	return ((struct profile_in_pass *)handler)->by_beneficiary;
}

static void begin_window(struct event_handler *handler)
{
	beneficiary_profile_begin_window(by_beneficiary(handler));
}

static void keep_slices(struct event_handler *handler,
			struct cache_file_writer *writer)
{
	beneficiary_profile_keep(by_beneficiary(handler), writer);
}

static void pack_rest(struct event_handler *handler, struct pack *pack)
{
	beneficiary_profile_pack_rest(by_beneficiary(handler), pack);
}

static void take_slice(struct event_handler *handler, struct pack *pack)
{
	beneficiary_profile_read(by_beneficiary(handler), pack);
}

/* The records of report --interrupts: beneficiaries of slices of interrupt
 * work.
 */
static const struct table_records slice_records = {
	.name = "interrupts",
	.are_needed = is_by_beneficiary,
	.checkpoints = "report_profile_index",
	.begin_window = begin_window,
	.keep = keep_slices,
	.pack_rest = pack_rest,
	.take = take_slice,
	.wanted = table_records_overlap,
};

const struct attribution_table profile_table = {
	.columns = flat_columns,
	.has_groups = true,
	.size = sizeof(struct profile_in_pass),
	.open = open_profile,
	.render = render,
	.close = close_profile,
	.records = &slice_records,
};

static void keep_wall(struct event_handler *handler,
		      struct cache_file_writer *writer)
{
	wall_tree_keep(((struct profile_in_pass *)handler)->wall, writer);
}

static void pack_wall(struct event_handler *handler, struct pack *pack)
{
	wall_tree_pack_paths(((struct profile_in_pass *)handler)->wall, pack);
}

static void take_wall(struct event_handler *handler, struct pack *pack)
{
	wall_tree_read(((struct profile_in_pass *)handler)->wall, pack);
}

static void begin_wall_window(struct event_handler *handler)
{
	wall_tree_begin_window(((struct profile_in_pass *)handler)->wall);
}

static const struct table_records wall_records = {
	.name = "wall",
	.checkpoints = "report_wall_index",
	.begin_window = begin_wall_window,
	.keep = keep_wall,
	.pack_rest = pack_wall,
	.take = take_wall,
	.wanted = table_records_overlap,
};

const struct attribution_table wall_profile_table = {
	.name = "wall",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct profile_in_pass),
	.open = open_wall,
	.render = render,
	.close = close_profile,
	.records = &wall_records,
};

static const struct table_records off_cpu_records = {
	.name = "off_cpu",
	.keep = keep_wall,
	.pack_rest = pack_wall,
	.take = take_wall,
	.wanted = table_records_overlap,
};

const struct attribution_table off_cpu_profile_table = {
	.name = "off-cpu",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct profile_in_pass),
	.open = open_off_cpu,
	.render = render,
	.close = close_profile,
	.records = &off_cpu_records,
};
