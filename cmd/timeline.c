/* SPDX-License-Identifier: MIT */
#include "report/timeline/timeline.h"
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/report/attribution_command.h"
#include "cmd/report/timeline_command.h"
#include "common/clocks.h"
#include "tables/table.h"

#include <stdlib.h>

enum timeline_option {
	OPTION_RAW,
	OPTION_FUNCTION,
	OPTION_HIDE,
	OPTION_DEPTH,
	OPTION_MIN_DURATION,
	OPTION_LINES,
	OPTION_SYSCALLS,
	OPTION_DETAILS,
	OPTION_WITH_TRACER,
	OPTION_COUNT,
};

static const struct own_option own_options[OPTION_COUNT] = {
	[OPTION_RAW] = { "raw", NULL,
			 "fixed lines: E or X, address, time in ns, pid" },
	[OPTION_FUNCTION] = { "function", "LIST",
			      "only these and their callees: names, globs "
			      "(vfs_*), /regular expressions/" },
	[OPTION_HIDE] = { "hide", "LIST", "without these and their callees" },
	[OPTION_DEPTH] = { "depth", "N", "N levels only" },
	[OPTION_MIN_DURATION] = { "min-duration", "TIME",
				  "only functions of TIME (10us) or longer" },
	[OPTION_LINES] = { "lines", NULL,
			   "each function's file and line in the source" },
	[OPTION_SYSCALLS] = { "syscalls", NULL,
			      "one line per system call, like strace" },
	[OPTION_DETAILS] = { "details", NULL,
			     "with --syscalls: time, faults, sleeps and "
			     "callees of each" },
	[OPTION_WITH_TRACER] = { "with-tracer", NULL,
				 "with --syscalls: include the recorder's "
				 "calls" },
};

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

static bool consume_depth(const char *argument, uint32_t *depth)
{
	char *end;
	unsigned long value = strtoul(argument, &end, 10);

	*depth = (uint32_t)value;
	return *argument >= '0' && *argument <= '9' && !*end && value &&
	       value < UINT32_MAX;
}

static bool consume_option(void *ctx, int index, const char *argument)
{
	struct choice *choice = ctx;

	switch ((enum timeline_option)index) {
	case OPTION_RAW:
		choice->format = "raw";
		return true;
	case OPTION_FUNCTION:
		return name_choice_add(&choice->timeline.functions, argument);
	case OPTION_HIDE:
		return name_choice_add(&choice->timeline.hidden, argument);
	case OPTION_DEPTH:
		return consume_depth(argument, &choice->timeline.max_depth);
	case OPTION_MIN_DURATION:
		choice->timeline.has_min = true;
		return duration_read(argument, &choice->timeline.min_ns);
	case OPTION_LINES:
		choice->wants_lines = true;
		return true;
	case OPTION_SYSCALLS:
		choice->syscalls = true;
		return true;
	case OPTION_DETAILS:
		choice->details = true;
		return true;
	case OPTION_WITH_TRACER:
		choice->with_tracer = true;
		return true;
	case OPTION_COUNT:
		break;
	}
	return false;
}

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
		.own = own_options,
		.own_count = OPTION_COUNT,
		.contradictions = contradictions,
		.take = consume_option,
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
