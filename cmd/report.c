/* SPDX-License-Identifier: MIT */
#include "attribution/table.h"
#include "cmd/command.h"
#include "cmd/report/attribution_command.h"
#include "cmd/report/profile_command.h"
#include "cmd/view/view_file.h"
#include "report/profile/profile_report.h"

#include <stdio.h>
#include <string.h>

/* The options that every report has, before those of the tables. */
enum report_option {
	OPTION_FLAT,
	OPTION_CALLGRAPH,
	OPTION_CALLTREE,
	OPTION_TRACER,
	OPTION_SORT,
	OPTION_LINES,
	OPTION_HTML,
	FIXED_OPTIONS,
	MAX_TABLES = 16,
};

struct choice {
	const char *report;		       /* a profile's name, or NULL */
	const struct attribution_table *table; /* NULL: the first one */
	const char *argument;
	const char *sort;
	bool wants_lines; /* of a flat profile */
	bool only_tracer;
	const char *html; /* the file for a page, or NULL */
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
	case OPTION_CALLTREE:
		choice->report = "calltree";
		return true;
	case OPTION_TRACER:
		choice->report = "flat";
		choice->only_tracer = true;
		return true;
	case OPTION_SORT:
		choice->sort = argument;
		return *argument;
	case OPTION_LINES:
		choice->wants_lines = true;
		return true;
	case OPTION_HTML:
		choice->html = argument;
		return *argument;
	default:
		choice->table =
			attribution_table_at((size_t)(index - FIXED_OPTIONS));
		choice->argument = argument;
		choice->report = NULL;
		choice->only_tracer = false;
		return true;
	}
}

static int add_tables(struct own_option *own, int count)
{
	const struct attribution_table *table;

	for (size_t i = 0; (table = attribution_table_at(i)); i++)
		own[count++] = (struct own_option){
			table->name,
			table->argument,
			table->help,
		};
	return count;
}

static int run_chosen(const struct report_options *options,
		      const struct choice *choice)
{
	const char *format = options->format ? options->format : "text";
	const struct profile_renderer *renderer;

	if (choice->html && options->by != GROUP_BY_NOTHING) {
		fputs("ktrace-hw: --by does not go with --html\n", stderr);
		return EXIT_USAGE;
	}
	if (choice->html)
		return write_view_file(options, choice->html);
	if (choice->wants_lines &&
	    (!choice->report || strcmp(choice->report, "flat") != 0)) {
		fputs("ktrace-hw: --lines goes with --flat\n", stderr);
		return EXIT_USAGE;
	}
	if (!choice->report)
		return run_attribution(
			options,
			&(struct attribution_request){
				.with_tracer = options->with_tracer,
				.with_idle = options->with_idle,
				.after_hits = !choice->table,
				.table = choice->table ?
						 choice->table :
						 attribution_table_at(0),
				.argument = choice->argument,
				.sort = choice->sort,
			});
	if (choice->sort && strcmp(choice->report, "flat") != 0) {
		fprintf(stderr,
			"ktrace-hw: --sort goes with tables: --%s has "
			"its own order\n",
			choice->report);
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
		{ "calltree", NULL,
		  "each process's calls as a tree, the longest first" },
		{ "tracer", NULL, "the tracer's own work, a line a function" },
		{ "sort", "COLUMN", "order a table by this column" },
		{ "lines", NULL, "with --flat: file and line in the source" },
		{ "html", "FILE",
		  "a page of all for a browser, as view shows" },
	};
	struct choice choice = { 0 };
	const struct option_set set = {
		.command = "report",
		.adds_up = true,
		.purpose = "Says where the time of each process went and what "
			   "was recorded, or\nmakes another report.",
		.formats = "text, csv or json",
		.is_paged = true,
		.own = own,
		.own_count = add_tables(own, FIXED_OPTIONS),
		.take = take_choice,
		.ctx = &choice,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	options.wants_lines = choice.wants_lines;
	options.only_tracer = choice.only_tracer;
	options.sort = choice.sort;
	if (status < 0)
		status = run_chosen(&options, &choice);
	report_options_free(&options);
	return status;
}

const struct command report_command = {
	.name = "report",
	.summary = "say where the time went; profiles (--flat, --callgraph)",
	.run = run_report,
};
