/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/profile_command.h"

static bool take_choice(void *ctx, int index, const char *argument)
{
	static const char *const reports[] = { "flat", "callgraph" };
	const char **report = ctx;

	(void)argument;
	*report = reports[index];
	return true;
}

static int run_report(int argc, char **argv)
{
	static const struct own_option own[] = {
		{ "flat", NULL, "a line a function: gprof's flat profile" },
		{ "callgraph", NULL,
		  "callers and callees: gprof's call graph" },
	};
	const char *report = "summary";
	const char *format = "text";
	const struct option_set set = {
		.command = "report",
		.purpose = "Says what a recording holds, or profiles it.",
		.own = own,
		.own_count = sizeof(own) / sizeof(*own),
		.take = take_choice,
		.ctx = &report,
	};

	return run_profile_command(&set, &report, &format, argc, argv);
}

const struct command report_command = {
	.name = "report",
	.summary = "say what was recorded; profiles (--flat, --callgraph)",
	.run = run_report,
};
