/* SPDX-License-Identifier: MIT */
#include "attribution/table.h"
#include "cmd/attribution_command.h"
#include "cmd/command.h"
#include "cmd/console_log.h"
#include "cmd/pipeline.h"
#include "cmd/progress.h"
#include "cmd/profile_command.h"
#include "cmd/session.h"
#include "common/error.h"
#include "decoder/flow_source.h"
#include "decoder/recording.h"
#include "report/event_merge.h"
#include "report/first_task.h"
#include "report/profile_report.h"
#include "symbolize/function_events.h"

#include <stdlib.h>

/* The stages of one CPU. */
struct lane {
	struct flow_source *source;
	struct function_events *events;
};

static int open_lane(const struct session *session, size_t index,
		     struct lane *lane, struct task_stacks *stacks,
		     struct event_merge *merge)
{
	const struct aux_stream *stream =
		recording_stream(session->recording, index);
	const struct flow_input input = {
		.recording = session->recording,
		.stream = stream,
		.image = session->image,
		.log = &console_log,
	};
	int32_t pid;
	int32_t tid;
	int status = flow_source_open(&input, &lane->source);

	if (!status)
		status = first_task(session->recording, stream, &pid, &tid);
	if (status < 0)
		return status;
	lane->events = function_events_new(lane->source, session->symbols, pid,
					   tid);
	if (!lane->events ||
	    task_stacks_add_cpu(stacks, stream->cpu, pid, tid) < 0)
		return -ERROR_MEMORY;
	return event_merge_add(merge, lane->events);
}

static bool must_wait(void *ctx, uint32_t index,
		      const struct function_event *event, uint32_t *where)
{
	return task_stacks_runs_elsewhere(ctx, index, function_event_tid(event),
					  where);
}

/* Recording -> flow -> function events -> steps -> sink, all CPUs merged. */
static int run_lanes(const struct session *session, struct lane *lanes,
		     struct task_stacks *stacks)
{
	const struct recording_info *info = recording_info(session->recording);
	struct progress progress = progress_of(info->first_time_ns,
					       info->last_time_ns);
	struct event_merge *merge = event_merge_new(must_wait, stacks);
	const struct function_event *event;
	uint32_t index;
	int status = merge ? 0 : -ERROR_MEMORY;

	for (size_t i = 0;
	     !status && i < recording_stream_count(session->recording); i++)
		status = open_lane(session, i, &lanes[i], stacks, merge);
	while (!status && (status = event_merge_next(merge, &index, &event)) > 0) {
		status = task_stacks_take(stacks, index, event);
		progress_at(&progress, event->time_ns);
	}
	if (!status)
		task_stacks_close(stacks);
	progress_end(&progress);
	event_merge_free(merge);
	return status;
}

int run_pipeline(const struct session *session, struct step_sink *sink,
		 struct task_stacks **stacks)
{
	size_t count = recording_stream_count(session->recording);
	struct lane *lanes = calloc(count + 1, sizeof(*lanes));
	int status = -ERROR_MEMORY;

	*stacks = NULL;
	if (!count) {
		fprintf(stderr,
			"ktrace-hw: %s: holds no hardware trace; make a "
			"recording that does with ktrace-hw record\n",
			recording_path(session->recording));
		free(lanes);
		return EXIT_FAILED;
	}
	*stacks = task_stacks_new(session->window, sink);
	if (*stacks && lanes)
		status = run_lanes(session, lanes, *stacks);
	for (size_t i = 0; lanes && i < count; i++) {
		function_events_free(lanes[i].events);
		flow_source_close(lanes[i].source);
	}
	free(lanes);
	if (status < 0) {
		fprintf(stderr, "ktrace-hw: %s: not decoded: %s\n",
			recording_path(session->recording),
			error_text(status));
		task_stacks_free(*stacks);
		*stacks = NULL;
	}
	return status < 0 ? EXIT_FAILED : 0;
}

/* The options that every report has, before those of the tables. */
enum report_option {
	OPTION_FLAT,
	OPTION_CALLGRAPH,
	OPTION_SORT,
	FIXED_OPTIONS,
	MAX_TABLES = 16,
};

struct choice {
	const char *report;	/* a profile's name */
	const struct attribution_table *table;	/* or this */
	const char *argument;
	const char *sort;
};

static bool take_choice(void *ctx, int index, const char *argument)
{
	struct choice *choice = ctx;

	switch (index) {
	case OPTION_FLAT:
		choice->report = "flat";
		return true;
	case OPTION_CALLGRAPH:
		choice->report = "callgraph";
		return true;
	case OPTION_SORT:
		choice->sort = argument;
		return *argument;
	default:
		choice->table = attribution_table_at(
			(size_t)(index - FIXED_OPTIONS));
		choice->argument = argument;
		return true;
	}
}

static int add_tables(struct own_option *own, int count)
{
	const struct attribution_table *table;

	for (size_t i = 0; (table = attribution_table_at(i)); i++)
		own[count++] = (struct own_option){
			table->name, table->argument, table->help,
		};
	return count;
}

static int run_chosen(const struct report_options *options,
		      const struct choice *choice)
{
	const char *format = options->format ? options->format : "text";
	const struct profile_renderer *renderer;

	if (choice->table)
		return run_attribution(options, choice->table, choice->argument,
				       choice->sort);
	if (choice->sort) {
		fputs("ktrace-hw: --sort goes with a table of the attribution\n",
		      stderr);
		return EXIT_USAGE;
	}
	renderer = profile_renderer_find(choice->report, format);
	if (renderer)
		return run_profile(options, renderer);
	fprintf(stderr, "ktrace-hw: --format: no %s as '%s'\n", choice->report,
		format);
	return EXIT_USAGE;
}

static int run_report(int argc, char **argv)
{
	struct own_option own[FIXED_OPTIONS + MAX_TABLES] = {
		{ "flat", NULL, "a line a function: gprof's flat profile" },
		{ "callgraph", NULL,
		  "callers and callees: gprof's call graph" },
		{ "sort", "COLUMN", "order a table by this column" },
	};
	struct choice choice = { .report = "summary" };
	const struct option_set set = {
		.command = "report",
		.purpose = "Says what a recording holds, profiles it, or says "
			   "where the time went.",
		.own = own,
		.own_count = add_tables(own, FIXED_OPTIONS),
		.take = take_choice,
		.ctx = &choice,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	if (status < 0)
		status = run_chosen(&options, &choice);
	report_options_free(&options);
	return status;
}

const struct command report_command = {
	.name = "report",
	.summary = "say what was recorded; profiles (--flat, --callgraph)",
	.run = run_report,
};
