/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/report_options.h"
#include "cmd/report/attribution_command.h"
#include "cmd/view/view_session.h"
#include "report/profile/profile_report.h"
#include "tables/profile/profile_table.h"
#include "tables/table.h"
#include "tables/text/table_rows.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* `ktrace-hw report`: collects the tables and profiles that the options
 * request, and makes all of them in one pass
 * (cmd/report/attribution_command.h). With --html it writes the page of
 * `ktrace-hw view` instead.
 */

/* Indices of the command's own options: the profiles; then other options, up to
 * FIXED_OPTIONS; then an option for each table.
 */
enum report_option {
	OPTION_FLAT,
	OPTION_CALLGRAPH,
	OPTION_CALLTREE,
	PROFILES,
	FIXED_OPTIONS = 9,
	MAX_TABLES = 24,
};

/* A requested report: a profile or a table. */
struct asked {
	const char *profile; /* a profile's name; NULL: report @table */
	const struct attribution_table *table; /* NULL for a profile */
	const char *argument;		       /* of the table's option */
};

struct choice {
	struct asked asked[PROFILES + MAX_TABLES];
	size_t count; /* 0: report the first table */
	const char *sort;
	const char *columns;   /* to show in text; or NULL */
	bool explains_columns; /* only list the tables' columns */
	bool is_wide;
	bool wants_lines; /* for a flat profile */
	bool only_tracer;
	const char *html; /* output file of a page, or NULL */
};

/* Adds a report. A repeated one is added only once, with the last argument. */
static bool ask(struct choice *choice, const struct asked *more)
{
	size_t at = 0;

	while (at < choice->count &&
	       (choice->asked[at].table != more->table ||
		choice->asked[at].profile != more->profile))
		at++;
	choice->asked[at] = *more;
	if (at == choice->count)
		choice->count++;
	return true;
}

static bool ask_profile(struct choice *choice, enum report_option option)
{
	static const char *const names[PROFILES] = {
		[OPTION_FLAT] = "flat",
		[OPTION_CALLGRAPH] = "callgraph",
		[OPTION_CALLTREE] = "calltree",
	};

	return ask(choice, &(struct asked){ .profile = names[option] });
}

static const char *read_columns(void *choice_, char *list)
{
	struct choice *choice = choice_;

	choice->explains_columns = !list || !strcmp(list, "help");
	choice->columns = choice->explains_columns ? NULL : list;
	return !list || *list ? NULL : "columns";
}

static bool consume_choice(void *ctx, int index, const char *argument)
{
	struct choice *choice = ctx;

	switch (index) {
	case OPTION_FLAT:
	case OPTION_CALLGRAPH:
	case OPTION_CALLTREE:
		return ask_profile(choice, (enum report_option)index);
	default:
		return ask(choice,
			   &(struct asked){
				   .table = attribution_table_at(
					   (size_t)(index - FIXED_OPTIONS)),
				   .argument = argument,
			   });
	}
}

static int add_tables(struct own_option *own, int count)
{
	const struct attribution_table *table;

	for (size_t i = 0; (table = attribution_table_at(i)); i++) {
		assert(i < MAX_TABLES);
		own[count++] = (struct own_option){
			.name = table->name,
			.argument = table->argument,
			.help = table->help,
		};
	}
	return count;
}

/* Returns the name of the first profile among the reports, or NULL. */
static const char *first_profile(const struct choice *choice)
{
	for (size_t i = 0; i < choice->count; i++)
		if (choice->asked[i].profile)
			return choice->asked[i].profile;
	return NULL;
}

static bool has_flat(const struct choice *choice)
{
	for (size_t i = 0; i < choice->count; i++)
		if (choice->asked[i].profile &&
		    !strcmp(choice->asked[i].profile, "flat"))
			return true;
	return false;
}

/* Adds the reports that other options imply. --tracer restricts profiles;
 * without any profile it implies a flat one.
 */
static void complete(struct choice *choice)
{
	if (choice->only_tracer && !first_profile(choice))
		ask_profile(choice, OPTION_FLAT);
	if (!choice->count)
		ask(choice,
		    &(struct asked){ .table = attribution_table_at(0) });
}

/* Fills @request from @asked. Returns EXIT_OK or EXIT_USAGE. */
static int make_request(struct attribution_request *request,
			const struct report_options *options,
			const struct choice *choice, const struct asked *asked)
{
	const char *format = options->format ? options->format : "text";

	*request = (struct attribution_request){
		.with_tracer = options->with_tracer,
		.with_idle = options->with_idle,
		.table = asked->table,
		.argument = asked->argument,
		.sort = options->sort,
		.columns = choice->columns,
		.is_wide = choice->is_wide,
	};
	if (!asked->profile)
		return EXIT_OK;
	if (options->sort && strcmp(asked->profile, "flat") != 0) {
		say("--sort needs a table: --%s has its own order",
		    asked->profile);
		return EXIT_USAGE;
	}
	request->is_quiet = true;
	request->table = &profile_table;
	request->renderer = profile_renderer_find(asked->profile, format);
	if (request->renderer)
		return EXIT_OK;
	return report_format_refuse(asked->profile, format,
				    strcmp(asked->profile, "calltree") ?
					    "text, csv or json" :
					    "text");
}

static int run_tables(const struct report_options *options,
		      const struct choice *choice, bool is_default)
{
	struct attribution_request requests[PROFILES + MAX_TABLES];
	int status = EXIT_OK;

	if (choice->count > 1 && options->format &&
	    !strcmp(options->format, "csv")) {
		say("--format=csv can only contain one table: tables have "
		    "different columns (json can contain all)");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < choice->count && !status; i++)
		status = make_request(&requests[i], options, choice,
				      &choice->asked[i]);
	requests->after_hits = is_default;
	requests->after_explanation = is_default;
	return status ? status :
			run_attribution(options, requests, choice->count);
}

/* Writes the columns as JSON, with the version that the tables' JSON and CSV
 * have, since a table is an array and has no member for it.
 */
static int write_columns_json(const struct choice *choice)
{
	fputs("{\"version\":1", stdout);
	for (size_t i = 0; i < choice->count; i++)
		if (choice->asked[i].table) {
			printf(",\n\"%s\":[", choice->asked[i].table->name);
			columns_explain_json(choice->asked[i].table->columns,
					     stdout);
			fputs("\n]", stdout);
		}
	puts("}");
	return EXIT_OK;
}

static int explain_columns(const struct report_options *options,
			   const struct choice *choice)
{
	if (options->format && !strcmp(options->format, "json"))
		return write_columns_json(choice);
	for (size_t i = 0; i < choice->count; i++)
		if (choice->asked[i].table) {
			printf("--%s: heading, name, meaning\n",
			       choice->asked[i].table->name);
			columns_explain(choice->asked[i].table->columns,
					stdout);
		}
	return EXIT_OK;
}

static int run_chosen(const struct report_options *options,
		      struct choice *choice)
{
	bool is_default = !choice->count && !choice->only_tracer;

	if (choice->html && options->by != GROUP_BY_NOTHING) {
		say("--by cannot be combined with --html");
		return EXIT_USAGE;
	}
	if (choice->html)
		return write_view_file(options, choice->html);
	complete(choice);
	if ((choice->columns || choice->explains_columns) &&
	    first_profile(choice)) {
		say("--columns needs a table: --%s has its own columns",
		    first_profile(choice));
		return EXIT_USAGE;
	}
	if (choice->explains_columns)
		return explain_columns(options, choice);
	if (choice->columns && options->format &&
	    strcmp(options->format, "text") != 0) {
		say("--columns chooses columns of text; --format=%s has all of "
		    "them",
		    options->format);
		return EXIT_USAGE;
	}
	if (choice->wants_lines && !has_flat(choice)) {
		say("--lines needs --flat");
		return EXIT_USAGE;
	}
	return run_tables(options, choice, is_default);
}

static int run_report(int argc, char **argv)
{
	struct own_option own[FIXED_OPTIONS + MAX_TABLES] = {
		{ "flat", NULL, "one line per function: gprof's flat profile",
		  0, TAKEN },
		{ "callgraph", NULL, "callers and callees: gprof's call graph",
		  0, TAKEN },
		{ "calltree", NULL,
		  "each process's calls as a tree, the longest first", 0,
		  TAKEN },
		{ "tracer", NULL,
		  "the tracer's own work, one line per function", 0,
		  FLAG(struct choice, only_tracer) },
		{ "sort", "COLUMN", "sort a table by this column", 0,
		  NAME(struct choice, sort) },
		{ "columns", "[LIST]",
		  "text with these columns; without LIST: explain them", 0,
		  .effect = OPTION_READ, .read = read_columns },
		{ "wide", NULL, "text with all columns", 0,
		  FLAG(struct choice, is_wide) },
		{ "lines", NULL, "with --flat: file and line in the source", 0,
		  FLAG(struct choice, wants_lines) },
		{ "html", "FILE", "write the page of ktrace-hw view to FILE", 0,
		  NAME(struct choice, html) },
	};
	struct choice choice = { 0 };
	const struct option_set set = {
		.command = "report",
		.adds_up = true,
		.takes_input = true,
		.purpose = "Reports where the time of each process went and "
			   "what was recorded, or\nmakes other reports, all in "
			   "one pass.",
		.formats = "text, csv or json",
		.is_paged = true,
		.own = own,
		.own_count = add_tables(own, FIXED_OPTIONS),
		.consume = consume_choice,
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
	.summary = "report where the time went; profiles (--flat, --callgraph)",
	.run = run_report,
};
