/* SPDX-License-Identifier: MIT */
#include "attribution/table.h"
#include "cmd/attribution_command.h"
#include "cmd/command.h"
#include "cmd/profile_command.h"
#include "cmd/report_options.h"
#include "common/error.h"
#include "report/diff/csv_rows.h"
#include "report/diff/diff_table.h"
#include "report/profile/profile_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which columns of a report make the rows of a section. */
struct source {
	enum diff_section section;
	const char *table;	/* of attribution; NULL: the flat profile */
	const char *name;	/* the column with the row's name, or "" */
	const char *fixed;	/* the row's name, where no column has it */
	const char *count;
	const char *total;
	const char *p99;
};

static const struct source sources[] = {
	{ DIFF_PROCESSES, "processes", "", "in all", "threads", "wall_ns", "" },
	{ DIFF_PROCESSES, "processes", "", "user code", "", "user_ns", "" },
	{ DIFF_PROCESSES, "processes", "", "system calls", "system_calls",
	  "system_call_ns", "" },
	{ DIFF_PROCESSES, "processes", "", "page faults", "faults",
	  "fault_ns", "" },
	{ DIFF_PROCESSES, "processes", "", "kernel threads' work", "",
	  "kernel_ns", "" },
	{ DIFF_PROCESSES, "processes", "", "waiting for a CPU", "",
	  "runnable_ns", "" },
	{ DIFF_PROCESSES, "processes", "", "asleep", "", "asleep_ns", "" },
	{ DIFF_SYSCALLS, "syscalls", "call", NULL, "count", "total_ns",
	  "p99_ns" },
	{ DIFF_SLEEPS, "sleeps", "label", NULL, "count", "total_ns", "max_ns" },
	{ DIFF_FUNCTIONS, NULL, "function", NULL, "calls", "self_ns", "" },
};

enum { SOURCES = sizeof(sources) / sizeof(*sources) };

static const struct attribution_table *table_called(const char *name)
{
	const struct attribution_table *table;

	for (size_t i = 0; (table = attribution_table_at(i)); i++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}

/* Runs the report of @source on the recording that @options name. */
static int run_report(const struct report_options *options,
		      const struct source *source)
{
	if (!source->table)
		return run_profile(options,
				   profile_renderer_find("flat", "csv"));
	return run_attribution(options, &(struct attribution_request){
						.is_quiet = true,
						.table = table_called(
							source->table),
					});
}

/* Reads a report as CSV. */
static int capture(const struct report_options *options, const char *recording,
		   const struct source *source, struct csv_rows *rows)
{
	struct report_options one = *options;
	char *text = NULL;
	size_t size;
	int status;

	*rows = (struct csv_rows){ .text = NULL };
	one.input = recording;
	one.format = "csv";
	one.top = UINT64_MAX;
	one.capture = open_memstream(&text, &size);
	if (!one.capture)
		return EXIT_FAILED;
	status = run_report(&one, source);
	if (fclose(one.capture) == EOF || status) {
		free(text);
		return status ? status : EXIT_FAILED;
	}
	return csv_rows_read(rows, text) < 0 ? EXIT_FAILED : 0;
}

/* The process of "137k:vfs_read" is another one in each recording. */
static const char *without_process(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits && name[digits] && strchr("ku", name[digits]) && name[digits + 1] == ':' ?
		       name + digits + 2 :
		       name;
}

static const char *name_of(const struct source *source,
			   const struct csv_rows *rows, size_t index)
{
	return source->fixed ? source->fixed :
			       without_process(csv_rows_text(rows, index,
							     source->name));
}

static int add_row(struct diff_table *table, int side,
		   const struct source *source, const struct csv_rows *rows,
		   size_t index)
{
	const struct diff_value value = {
		.count = csv_rows_number(rows, index, source->count),
		.total_ns = csv_rows_number(rows, index, source->total),
		.p99_ns = csv_rows_number(rows, index, source->p99),
	};

	if (!value.count && !value.total_ns)
		return 0;
	return diff_table_add(table, side, source->section,
			      csv_rows_text(rows, index, "comm"),
			      name_of(source, rows, index), &value);
}

static bool is_same_report(const struct source *a, const struct source *b)
{
	return a->table && b->table && !strcmp(a->table, b->table);
}

static int add_recording(struct diff_table *table, int side,
			 const struct report_options *options,
			 const char *recording)
{
	struct csv_rows rows = { .text = NULL };
	int status = 0;

	diff_table_begin(table, side);
	for (int i = 0; !status && i < SOURCES; i++) {
		if (!i || !is_same_report(&sources[i - 1], &sources[i])) {
			csv_rows_free(&rows);
			status = capture(options, recording, &sources[i],
					 &rows);
		}
		for (size_t row = 0; !status && row < csv_rows_count(&rows);
		     row++)
			if (add_row(table, side, &sources[i], &rows, row) < 0)
				status = EXIT_FAILED;
	}
	csv_rows_free(&rows);
	return status;
}

/* @list: recordings, with commas between them. */
static int add_side(struct diff_table *table, int side,
		    const struct report_options *options, const char *list)
{
	char *copy = strdup(list);
	char *rest = copy;
	const char *recording;
	int status = copy ? 0 : EXIT_FAILED;

	while (!status && (recording = strsep(&rest, ",")))
		status = add_recording(table, side, options, recording);
	free(copy);
	return status;
}

static int write_table(const struct diff_table *table,
		       const struct report_options *options,
		       enum record_format format)
{
	enum { ROWS_OF_TEXT = 10 };
	uint64_t top = options->top;
	FILE *out = options->output ? fopen(options->output, "we") : stdout;
	bool has_failed;

	if (top == UINT64_MAX && format == RECORD_TABLE)
		top = ROWS_OF_TEXT;
	has_failed = !out || diff_table_write(table, format, top, out) < 0;
	if (out)
		has_failed |= fflush(out) == EOF || ferror(out);
	if (has_failed)
		fprintf(stderr, "ktrace-hw: output not written: %s\n",
			strerror(errno));
	if (out && out != stdout)
		fclose(out);
	return has_failed ? EXIT_FAILED : EXIT_OK;
}

static int compare(const struct report_options *options)
{
	struct diff_table table = diff_table_new();
	enum record_format format;
	int status;

	if (!options->input || !options->second) {
		fputs("ktrace-hw: diff needs two recordings: ktrace-hw diff A "
		      "B\n", stderr);
		return EXIT_USAGE;
	}
	if (!read_record_format(options->format, &format)) {
		fprintf(stderr, "ktrace-hw: --format: no diff as '%s'\n",
			options->format);
		return EXIT_USAGE;
	}
	status = add_side(&table, 0, options, options->input);
	if (!status)
		status = add_side(&table, 1, options, options->second);
	if (!status) {
		diff_table_end(&table);
		status = write_table(&table, options, format);
	}
	diff_table_free(&table);
	return status;
}

static int run_diff(int argc, char **argv)
{
	const struct option_set set = {
		.command = "diff",
		.purpose = "Compares recordings: diff A B, or several of each "
			   "side, which tell what is chance:\ndiff A1,A2 "
			   "B1,B2.",
		.formats = "text, csv or json",
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
