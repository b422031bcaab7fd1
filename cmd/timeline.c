/* SPDX-License-Identifier: MIT */
#include "report/timeline/timeline.h"
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/report/attribution_command.h"
#include "cmd/report/timeline_command.h"
#include "tables/table.h"

#include <stdlib.h>

static const char *const contradictions[][2] = {
	{ "raw", "syscalls" },	 { "raw", "format=text" },
	{ "raw", "format=csv" }, { "raw", "format=json" },
	{ "hide", "syscalls" },	 { NULL },
};

struct choice {
	struct timeline_options timeline;
	const char *format;
	bool wants_lines;
	bool syscalls;
	bool details;
	bool with_tracer;
};

static const char *read_depth(void *depth, char *argument)
{
	uint64_t value;

	if (!option_number(argument, UINT32_MAX - 1, &value) || !value)
		return "a number above 0";
	*(uint32_t *)depth = (uint32_t)value;
	return NULL;
}

static const struct own_option own_options[] = {
	{ "raw", NULL, "fixed lines: E or X, address, time in ns, pid", 0,
	  SETS(struct choice, format, "raw") },
	{ "function", "LIST",
	  "only these and their callees: names, globs (vfs_*), /regular "
	  "expressions/",
	  0, READS(struct choice, timeline.functions, option_read_names) },
	{ "hide", "LIST", "without these and their callees", 0,
	  READS(struct choice, timeline.hidden, option_read_names) },
	{ "depth", "N", "N levels only", 0,
	  READS(struct choice, timeline.max_depth, read_depth) },
	{ "min-duration", "TIME", "only functions of TIME (10us) or longer", 0,
	  READS(struct choice, timeline, timeline_read_min) },
	{ "lines", NULL, "each function's file and line in the source", 0,
	  FLAG(struct choice, wants_lines) },
	{ "syscalls", NULL, "one line per system call, like strace", 0,
	  FLAG(struct choice, syscalls) },
	{ "details", NULL,
	  "with --syscalls: time, faults, sleeps and callees of each", 0,
	  FLAG(struct choice, details) },
	{ "with-tracer", NULL, "with --syscalls: include the recorder's calls",
	  0, FLAG(struct choice, with_tracer) },
};

static int run_syscalls(const struct report_options *options,
			const struct choice *choice)
{
	const struct timeline_options *timeline = &choice->timeline;
	struct call_records_choice calls = {
		.names = name_choice_is_made(&timeline->functions) ?
				 &timeline->functions :
				 NULL,
		.min_ns = timeline->min_ns,
		.max_depth = timeline->max_depth,
		.details = choice->details,
	};

	return run_attribution(options,
			       &(struct attribution_request){
				       .table = &call_records_table,
				       .calls = &calls,
				       .with_tracer = choice->with_tracer,
			       },
			       1);
}

static int run_chosen(const struct report_options *options,
		      struct choice *choice)
{
	const struct timeline_renderer *renderer;

	if ((choice->details || choice->with_tracer) && !choice->syscalls) {
		say("--%s needs --syscalls",
		    choice->details ? "details" : "with-tracer");
		return EXIT_USAGE;
	}
	if (choice->syscalls)
		return run_syscalls(options, choice);
	if (options->format)
		choice->format = options->format;
	renderer = timeline_renderer_find("timeline", choice->format);
	if (renderer)
		return run_timeline_command(options, &choice->timeline,
					    renderer);
	return report_format_refuse("timeline", choice->format,
				    "text, raw, csv or json");
}

static int run_timeline(int argc, char **argv)
{
	struct choice choice = {
		.timeline = TIMELINE_OPTIONS_ALL,
		.format = "text",
	};
	const struct option_set set = {
		.command = "timeline",
		.takes_input = true,
		.purpose = "Shows every function entry and exit, in order of "
			   "time.",
		.formats =
			"text, raw, csv or json; with --syscalls text or json",
		.is_paged = true,
		OWN_OPTIONS(own_options),
		.contradictions = contradictions,
		.ctx = &choice,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	options.wants_lines = choice.wants_lines;
	if (status < 0)
		status = run_chosen(&options, &choice);
	report_options_free(&options);
	name_choice_free(&choice.timeline.functions);
	name_choice_free(&choice.timeline.hidden);
	return status;
}

const struct command timeline_command = {
	.name = "timeline",
	.summary = "show every function entry and exit",
	.run = run_timeline,
};
