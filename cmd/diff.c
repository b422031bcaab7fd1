/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/say.h"
#include "cmd/diff/diff_capture.h"
#include "cmd/diff/diff_flame.h"
#include "cmd/diff/diff_page.h"
#include "cmd/diff/diff_reports.h"
#include "cmd/options/report_options.h"
#include "cmd/report/attribution_command.h"
#include "report/diff/diff_table.h"

#include <stdio.h>
#include <string.h>

/* The text has the notes itself. */
static void say_notes(const struct diff_table *table)
{
	for (size_t i = 0; i < table->notes.count; i++)
		say("diff: %s", *(char **)array_at(&table->notes, i));
}

static int write_records(const struct diff_table *table,
			 const struct report_options *options, FILE *out)
{
	enum { ROWS_OF_TEXT = 10 };
	enum record_format format;
	uint64_t top = options->top;

	record_format_find(options->format, &format);
	if (top == UINT64_MAX && format == RECORD_TABLE)
		top = ROWS_OF_TEXT;
	if (format != RECORD_TABLE)
		say_notes(table);
	return diff_table_write(table, format, top, out) < 0 ? EXIT_FAILED :
							       EXIT_OK;
}

/* Compares as text, records or a page. */
static int compare_tables(const struct report_options *options, bool is_page)
{
	struct diff_table table = diff_table_new();
	int status = diff_reports_read(&table, options);
	struct diff_output output;

	if (!status && !diff_output_open(options, &output))
		status = EXIT_FAILED;
	else if (!status)
		status = diff_output_close(
			&output,
			is_page ? diff_page_write(&table, options, output.out) :
				  write_records(&table, options, output.out));
	diff_table_free(&table);
	return status;
}

static bool is_format(const struct report_options *options, const char *name)
{
	return options->format && !strcmp(options->format, name);
}

static int compare(const struct report_options *options)
{
	enum record_format format;

	if (!options->input || !options->second) {
		say("diff needs two recordings: ktrace-hw diff A B");
		return EXIT_USAGE;
	}
	if (is_format(options, "svg"))
		return diff_flame(options);
	if (is_format(options, "html"))
		return compare_tables(options, true);
	if (record_format_find(options->format, &format))
		return compare_tables(options, false);
	say("--format: no diff format '%s'", options->format);
	return EXIT_USAGE;
}

static int run_diff(int argc, char **argv)
{
	const struct option_set set = {
		.command = "diff",
		.purpose = "Compares recordings: diff A B, or several per "
			   "side, which show the noise:\ndiff A1,A2 B1,B2.",
		.formats = "text, csv, json, html or svg",
		.takes_two = true,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	if (status < 0)
		status = compare(&options);
	report_options_free(&options);
	return status;
}

const struct command diff_command = {
	.name = "diff",
	.summary = "compare recordings: what takes longer, what is new",
	.run = run_diff,
};
