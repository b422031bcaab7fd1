/* SPDX-License-Identifier: MIT */
#include "cmd/options/common_options.h"

#include "cmd/options/option_lists.h"
#include "cmd/options/report_options.h"

#include <string.h>

/* More threads would only wait for each other. */
#define MOST_JOBS 1024

const struct own_option common_options[OPTION_COUNT] = {
	[OPTION_INPUT] = { "input", "DIR",
			   "the recording (-i); default: the last one here" },
	[OPTION_OUTPUT] = { "output", "FILE", "write to FILE (-o)" },
	[OPTION_FORMAT] = { "format", "FORMAT", NULL /* see the command */ },
	[OPTION_TOP] = { "top", "N", "the first N rows only" },
	[OPTION_SINCE] = { "since", "TIME",
			   "from TIME on: seconds, or +SECONDS from the "
			   "start" },
	[OPTION_UNTIL] = { "until", "TIME", "up to TIME" },
	[OPTION_PID] = { "pid", "LIST", "only these processes or threads" },
	[OPTION_TREE] = { "tree", "LIST",
			  "only these processes and their "
			  "descendants" },
	[OPTION_COMM] = { "comm", "LIST", "only tasks with these names" },
	[OPTION_CPU] = { "cpu", "LIST", "only these CPUs (0,2-3)" },
	[OPTION_WITH_IDLE] = { "with-idle", NULL,
			       "include the idle loop and idle kernel "
			       "threads" },
	[OPTION_WITH_TRACER] = { "with-tracer", NULL,
				 "include the tracer's own work" },
	[OPTION_BILL] = { "bill", "WHOM",
			  "charge interrupt work in profiles to its "
			  "beneficiary, or to the interrupted process "
			  "(victim)" },
	[OPTION_BY] = { "by", "WHAT",
			"group tasks by thread, process, comm, cgroup or "
			"choice (those that --comm, --pid, --tree select)" },
	[OPTION_FULL_NAMES] = { "full-names", NULL,
				"show C++ functions with all parameters" },
	[OPTION_MANGLED] = { "mangled", NULL,
			     "show C++, Rust and D functions by their "
			     "symbols" },
	[OPTION_SYMFS] = { "symfs", "DIR",
			   "directory with the traced machine's files" },
	[OPTION_DEBUGINFOD] = { "debuginfod", NULL,
				"query the servers of DEBUGINFOD_URLS for "
				"names and lines" },
	[OPTION_JOBS] = { "jobs", "N",
			  "decode on N CPUs in parallel; default: all" },
	[OPTION_ENGINE] = { "engine", "NAME",
			    "decoder: graph (default for Intel PT), libipt or "
			    "opencsd" },
	[OPTION_COLOR] = { "color", "WHEN",
			   "auto (on a terminal), always or never" },
	[OPTION_HELP] = { "help", NULL, "this text" },
};

bool common_option_is_taken(const struct option_set *set,
			    enum common_option option)
{
	switch (option) {
	case OPTION_PID:
	case OPTION_TREE:
	case OPTION_COMM:
		return !set->has_no_tasks;
	case OPTION_TOP:
		return !set->has_no_rows;
	case OPTION_WITH_IDLE:
	case OPTION_WITH_TRACER:
	case OPTION_BILL:
	case OPTION_BY:
		return set->adds_up;
	case OPTION_OUTPUT:
	case OPTION_FORMAT:
	case OPTION_SINCE:
	case OPTION_UNTIL:
	case OPTION_CPU:
	case OPTION_FULL_NAMES:
	case OPTION_MANGLED:
	case OPTION_COLOR:
		return !set->is_page;
	case OPTION_INPUT:
	case OPTION_SYMFS:
	case OPTION_DEBUGINFOD:
	case OPTION_JOBS:
	case OPTION_ENGINE:
	case OPTION_HELP:
	case OPTION_COUNT:
		break;
	}
	return true;
}

static bool take_color(struct report_options *options, const char *when)
{
	static const char *const choices[] = {
		[COLORS_AUTO] = "auto",
		[COLORS_ALWAYS] = "always",
		[COLORS_NEVER] = "never",
	};

	for (int i = COLORS_AUTO; i <= COLORS_NEVER; i++)
		if (!strcmp(when, choices[i])) {
			options->colors = (enum color_choice)i;
			return true;
		}
	return false;
}

static bool take_bill(struct report_options *options, const char *whom)
{
	if (!strcmp(whom, "beneficiary"))
		options->bill = BILL_BENEFICIARY;
	else if (!strcmp(whom, "victim"))
		options->bill = BILL_VICTIM;
	else
		return false;
	return true;
}

bool common_option_take(struct report_options *options,
			enum common_option option, const char *argument)
{
	switch (option) {
	case OPTION_INPUT:
		options->input = argument;
		return *argument;
	case OPTION_OUTPUT:
		options->output = argument;
		return *argument;
	case OPTION_FORMAT:
		options->format = argument;
		return true;
	case OPTION_TOP:
		return option_number(argument, UINT64_MAX, &options->top);
	case OPTION_SINCE:
		options->since = argument;
		return true;
	case OPTION_UNTIL:
		options->until = argument;
		return true;
	case OPTION_PID:
		return option_numbers(&options->pids, argument);
	case OPTION_TREE:
		return option_numbers(&options->trees, argument);
	case OPTION_COMM:
		return name_choice_add(&options->comms, argument);
	case OPTION_CPU:
		return option_numbers(&options->cpus, argument);
	case OPTION_WITH_IDLE:
		options->with_idle = true;
		return true;
	case OPTION_WITH_TRACER:
		options->with_tracer = true;
		return true;
	case OPTION_BILL:
		return take_bill(options, argument);
	case OPTION_BY:
		options->by = group_by_find(argument);
		return options->by != GROUP_BY_NOTHING;
	case OPTION_FULL_NAMES:
		options->names = FUNCTION_NAMES_FULL;
		return true;
	case OPTION_MANGLED:
		options->names = FUNCTION_NAMES_SYMBOLS;
		return true;
	case OPTION_SYMFS:
		options->symfs = argument;
		return *argument;
	case OPTION_DEBUGINFOD:
		options->debuginfod = true;
		return true;
	case OPTION_JOBS:
		return option_number(argument, MOST_JOBS, &options->jobs) &&
		       options->jobs;
	case OPTION_ENGINE:
		return engine_read(argument, &options->engine);
	case OPTION_COLOR:
		return take_color(options, argument);
	case OPTION_HELP:
	case OPTION_COUNT:
		break;
	}
	return true;
}
