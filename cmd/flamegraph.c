/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/options/report_options.h"
#include "cmd/report/attribution_command.h"
#include "report/profile/profile_report.h"
#include "tables/profile/profile_table.h"

struct choice {
	const char *format;
	const struct attribution_table *table; /* NULL: time on CPUs */
	const char *title;
};

static int draw(const struct report_options *options,
		const struct choice *choice)
{
	const char *format = options->format ? options->format : choice->format;
	const struct profile_renderer *renderer =
		profile_renderer_find("flamegraph", format);

	if (!renderer)
		return report_format_refuse("flamegraph", format,
					    "svg or folded");
	return run_profile(options, choice->table, renderer);
}

static int run_flamegraph(int argc, char **argv)
{
	static const struct own_option own[] = {
		{ "folded", NULL, "lines \"a;b;c ns\" for other tools", 0,
		  SETS(struct choice, format, "folded") },
		{ "wall", NULL,
		  "all time of threads, including asleep, runnable and in user "
		  "code",
		  0, SETS(struct choice, table, &wall_profile_table) },
		{ "off-cpu", NULL, "where threads slept or waited for a CPU", 0,
		  SETS(struct choice, table, &off_cpu_profile_table) },
		{ "title", "TEXT", "title of the picture", 0,
		  TEXT(struct choice, title) },
	};
	static const char *const contradictions[][2] = {
		{ "folded", "format=svg" },
		{ "wall", "off-cpu" },
		{ NULL },
	};
	struct choice choice = { .format = "svg" };
	const struct option_set set = {
		.command = "flamegraph",
		.adds_up = true,
		.takes_input = true,
		.purpose = "Draws a flame graph, as an SVG file with zoom and "
			   "search: of time on\nCPUs, in functions, unless an "
			   "option selects otherwise.",
		.formats = "svg or folded",
		.has_no_rows = true,
		OWN_OPTIONS(own),
		.contradictions = contradictions,
		.ctx = &choice,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	options.title = choice.title;
	if (status < 0)
		status = draw(&options, &choice);
	report_options_free(&options);
	return status;
}

const struct command flamegraph_command = {
	.name = "flamegraph",
	.summary = "draw a flame graph (SVG, --folded, --wall, --off-cpu)",
	.run = run_flamegraph,
};
