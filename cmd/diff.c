/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/report_options.h"
#include "cmd/pipeline/session.h"
#include "cmd/report/attribution_command.h"
#include "common/error.h"
#include "common/files/output_file.h"
#include "report/diff/diff_flamegraph.h"
#include "report/diff/diff_table.h"
#include "report/profile/profile_report.h"
#include "report/text/duration_text.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "view/answer/file_data.h"
#include "view/page/page.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ktrace-hw diff: compares the recordings of two sides (A1,A2 B1,B2).
 *
 *	each recording ─► run_report(): a report as CSV rows (diff_capture())
 *	  ─► diff_table: rows of both sides, with the noise ─► text, CSV, JSON, page
 *	  or diff_paths: stacks of both sides ─► flame graph
 *
 * All recordings are checked before the first is read, since reading takes
 * minutes. Rows whose events one recording lacks are left out, with a note.
 */

/* The source of one report of one recording. Exactly one member is set. */
struct diff_report {
	const struct attribution_table *table;
	const struct profile_renderer *renderer; /* writes CSV */
};

/* Output of the comparison: a file or standard output. */
struct diff_output {
	const char *path;	  /* borrowed; NULL: standard output */
	struct output_file *file; /* of @path */
	FILE *out;
};

static int run_report(const struct report_options *options,
		      const struct diff_report *report,
		      struct recorded *recorded)
{
	if (report->renderer)
		return run_profile(options, NULL, report->renderer);
	return run_attribution(options,
			       &(struct attribution_request){
				       .is_quiet = true,
				       .table = report->table,
				       .recorded = recorded,
			       },
			       1);
}

/* Reads @report of @recording as CSV into @rows, which the caller frees even
 * after an error. Of a table, sets *@recorded to the recording's facts unless
 * @recorded is NULL. Returns the exit code.
 */
static int diff_capture(const struct report_options *options,
			const char *recording, const struct diff_report *report,
			struct recorded *recorded, struct csv_rows *rows)
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
	status = run_report(&one, report, recorded);
	if (fclose(one.capture) == EOF || status) {
		free(text);
		return status ? status : EXIT_FAILED;
	}
	return csv_rows_read(rows, text) < 0 ? EXIT_FAILED : EXIT_OK;
}

/* Calls @consume for each recording in the comma-separated @list until one call
 * returns nonzero. Returns the result of the last call.
 */
static int diff_each(const char *list,
		     int (*consume)(void *ctx, const char *recording),
		     void *ctx)
{
	char *copy = strdup(list);
	char *rest = copy;
	const char *recording;
	int status = copy ? EXIT_OK : EXIT_FAILED;

	while (!status && (recording = strsep(&rest, ",")))
		status = consume(ctx, recording);
	free(copy);
	return status;
}

/* Opens the output that @options select. Returns false after a message. */
static bool diff_output_open(const struct report_options *options,
			     struct diff_output *output)
{
	*output =
		(struct diff_output){ .path = options->output, .out = stdout };
	if (!options->output)
		return true;
	output->file = output_file_open(options->output);
	if (output->file)
		output->out = output_file_stream(output->file);
	else
		written_fail(options->output);
	return output->file;
}

/* Closes @output; discards the file if @status is nonzero. Returns the exit
 * code: @status if it is nonzero, EXIT_FAILED if a write failed, else 0.
 */
static int diff_output_close(const struct diff_output *output, int status)
{
	int written;

	if (output->file)
		written = output_file_close(output->file, !status) ?
				  EXIT_OK :
				  written_fail(output->path);
	else
		written = written_stdout();
	return written ? written : status;
}

/* State while one side is read. */
struct path_reading {
	struct diff_paths *paths;
	const struct report_options *options;
	int side;
};

static int fail(int error)
{
	say("%s", error_text(error));
	return EXIT_FAILED;
}

static int add_rows(struct diff_paths *paths, const struct csv_rows *rows)
{
	int status = 0;

	for (size_t i = 0; !status && i < csv_rows_count(rows); i++) {
		const struct diff_value value = {
			.count = csv_rows_number(rows, i, "calls"),
			.total_ns = csv_rows_number(rows, i, "self_ns"),
		};

		status = diff_paths_add(
			paths, (uint32_t)csv_rows_number(rows, i, "depth"),
			csv_rows_text(rows, i, "name"),
			csv_rows_number(rows, i, "interrupt") != 0, &value);
	}
	return status < 0 ? fail(status) : EXIT_OK;
}

static int add_paths_of(void *ctx, const char *recording)
{
	const struct path_reading *reading = ctx;
	const struct diff_report report = {
		.renderer = profile_renderer_find("diff", "paths"),
	};
	struct csv_rows rows;
	int status;

	diff_paths_begin(reading->paths, reading->side);
	status =
		diff_capture(reading->options, recording, &report, NULL, &rows);
	if (!status)
		status = add_rows(reading->paths, &rows);
	csv_rows_free(&rows);
	return status;
}

static int write_graph(const struct diff_paths *paths,
		       const struct report_options *options)
{
	struct diff_output output;
	int status;

	if (!diff_output_open(options, &output))
		return EXIT_FAILED;
	status = diff_flamegraph_write(paths, options->title, output.out);
	return diff_output_close(&output, status < 0 ? fail(status) : EXIT_OK);
}

/* Draws the flame graph of the recordings in options->second, coloured by the
 * change since those in options->input. Returns the exit code.
 */
static int diff_flame(const struct report_options *options)
{
	struct path_reading reading = {
		.paths = diff_paths_new(),
		.options = options,
	};
	int status;

	if (!reading.paths)
		return fail(-ERROR_MEMORY);
	status = diff_each(options->input, add_paths_of, &reading);
	reading.side = 1;
	if (!status)
		status = diff_each(options->second, add_paths_of, &reading);
	diff_paths_end(reading.paths);
	if (!status)
		status = write_graph(reading.paths, options);
	diff_paths_free(reading.paths);
	return status;
}

struct page_data {
	const struct diff_table *table;
	const struct report_options *options;
};

static void write_data(FILE *out, void *ctx)
{
	const struct page_data *data = ctx;
	const char *const sides[] = { data->options->input,
				      data->options->second };

	diff_data_write(data->table, sides, data->options->top, out);
}

/* Writes @table as a self-contained HTML page. Returns the exit code. */
static int diff_page_write(const struct diff_table *table,
			   const struct report_options *options, FILE *out)
{
	struct page_data data = { .table = table, .options = options };
	struct view_token nonce;

	if (!view_token_make(&nonce)) {
		say("no random bytes for the page");
		return EXIT_FAILED;
	}
	page_write(out, &diff_page, nonce.text, write_data, &data);
	return EXIT_OK;
}

enum { NEEDS_NOTHING = -1 };

/* The columns of a report that make up the rows of a section. */
struct source {
	enum diff_section section;
	const char *table; /* an attribution table; NULL: the flat profile */
	const char *name;  /* column of the row's name, or "" */
	const char *fixed; /* the row's name if no column has it */
	const char *count;
	const char *total;
	const char *p99;
	int event; /* NEEDS_NOTHING, or as in struct table_need */
};

static const struct source sources[] = {
	{ DIFF_PROCESSES, "processes", "", "in all", "threads", "wall_ns", "",
	  NEEDS_NOTHING },
	{ DIFF_PROCESSES, "processes", "", "user code", "", "user_ns", "",
	  RECORDED_FUNCTIONS },
	{ DIFF_PROCESSES, "processes", "", "system calls", "system_calls",
	  "system_call_ns", "", RECORDED_KERNEL },
	{ DIFF_PROCESSES, "processes", "", "page faults", "faults", "fault_ns",
	  "", RECORDED_KERNEL },
	{ DIFF_PROCESSES, "processes", "", "other kernel work", "", "kernel_ns",
	  "", RECORDED_KERNEL },
	{ DIFF_PROCESSES, "processes", "", "waiting for a CPU", "",
	  "runnable_ns", "", EVENT_SCHED_WAKING },
	{ DIFF_PROCESSES, "processes", "", "asleep", "", "asleep_ns", "",
	  EVENT_SCHED_WAKING },
	{ DIFF_SYSCALLS, "syscalls", "call", NULL, "count", "total_ns",
	  "p99_ns", RECORDED_KERNEL },
	{ DIFF_SLEEPS, "sleeps", "label", NULL, "count", "total_ns", "max_ns",
	  EVENT_SCHED_WAKING },
	{ DIFF_FUNCTIONS, NULL, "function", NULL, "calls", "self_ns", "",
	  RECORDED_FUNCTIONS },
};

enum { SOURCES = sizeof(sources) / sizeof(*sources) };

/* The columns of a table that are the tracer's share of its totals: a change of
 * these is not a change of the program.
 */
static const struct {
	const char *table;
	const char *total;
	const char *tracer;
} tracer_parts[] = {
	{ "processes", "wall_ns", "tracer_ns" },
	{ "processes", "wall_ns", "recorder_wait" },
	{ "processes", "runnable_ns", "recorder_wait" },
	{ "syscalls", "total_ns", "tracer_ns" },
};

static const struct attribution_table *table_called(const char *name)
{
	const struct attribution_table *table;

	for (size_t i = 0; (table = attribution_table_at(i)); i++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}

/* Strips the process ID of "137k:vfs_read": it differs between recordings. */
static const char *without_process(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits && name[digits] && strchr("ku", name[digits]) &&
			       name[digits + 1] == ':' ?
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

/* Returns the tracer's share of the row's total. */
static double tracer_ns(const struct source *source,
			const struct csv_rows *rows, size_t index)
{
	double sum_ns = 0;

	for (size_t i = 0; i < sizeof(tracer_parts) / sizeof(*tracer_parts);
	     i++)
		if (source->table &&
		    !strcmp(source->table, tracer_parts[i].table) &&
		    !strcmp(source->total, tracer_parts[i].total))
			sum_ns += csv_rows_number(rows, index,
						  tracer_parts[i].tracer);
	return sum_ns;
}

/* Returns the time that the row's process, if it is a thread of the kernel,
 * waited for work: such waits are as long as the recording, whatever it did. A
 * process that ran no code of a program and made no system call is such a
 * thread, or it slept throughout.
 */
static double idle_ns(const struct source *source, const struct csv_rows *rows,
		      size_t index)
{
	static const char *const programs[] = { "user_ns", "system_calls",
						"faults" };

	if (!source->table || strcmp(source->table, "processes") ||
	    (strcmp(source->total, "wall_ns") &&
	     strcmp(source->total, "asleep_ns")))
		return 0;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (csv_rows_number(rows, index, programs[i]))
			return 0;
	return csv_rows_number(rows, index, "asleep_ns");
}

static int add_row(struct diff_table *table, int side,
		   const struct source *source, const struct csv_rows *rows,
		   size_t index)
{
	double by_tracer_ns = tracer_ns(source, rows, index);
	double total_ns = csv_rows_number(rows, index, source->total) -
			  idle_ns(source, rows, index);
	const struct diff_value value = {
		.count = csv_rows_number(rows, index, source->count),
		.total_ns = total_ns > by_tracer_ns ? total_ns - by_tracer_ns :
						      0,
		.p99_ns = csv_rows_number(rows, index, source->p99),
	};

	if (source == &sources[0])
		diff_table_add_tracer(table, side, by_tracer_ns);
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

static struct diff_report report_of(const struct source *source)
{
	if (!source->table)
		return (struct diff_report){
			.renderer = profile_renderer_find("flat", "csv"),
		};
	return (struct diff_report){ .table = table_called(source->table) };
}

/* State while one side is read. */
struct report_reading {
	struct diff_table *table;
	const struct report_options *options;
	int side;
	bool is_missing[SOURCES]; /* by a recording of either side */
};

static struct table_need need_of(const struct source *source)
{
	static const char *const sections[DIFF_SECTIONS] = {
		[DIFF_PROCESSES] = "processes",
		[DIFF_SYSCALLS] = "system calls",
		[DIFF_SLEEPS] = "sleeps",
		[DIFF_FUNCTIONS] = "functions",
	};

	return (struct table_need){
		.columns = source->fixed ? source->fixed :
					   sections[source->section],
		.event = source->event,
	};
}

/* Adds a note on what @recorded lacks, and sets reading->is_missing. */
static int add_missing(struct report_reading *reading, const char *recording,
		       const struct recorded *recorded)
{
	struct table_need missing[SOURCES];
	size_t count = 0;
	char *text = NULL;
	size_t size;
	FILE *out;

	for (int i = 0; i < SOURCES; i++) {
		const struct table_need need = need_of(&sources[i]);

		if (need.event == NEEDS_NOTHING ||
		    recorded_has(recorded, &need))
			continue;
		reading->is_missing[i] = true;
		missing[count++] = need;
	}
	if (!count)
		return 0;
	out = open_memstream(&text, &size);
	if (!out)
		return -ERROR_MEMORY;
	fprintf(out, "%s: ", recording);
	recorded_missing_all(recorded, missing, count, out);
	fclose(out);
	if (!text)
		return -ERROR_MEMORY;
	text[size - 1] = '\0';
	return diff_table_note(reading->table, text);
}

/* Removes the rows whose events some recording lacks. */
static void leave_out(const struct report_reading *reading)
{
	for (int i = 0; i < SOURCES; i++)
		if (reading->is_missing[i])
			diff_table_leave_out(reading->table, sources[i].section,
					     sources[i].fixed);
}

static int add_reports_of(void *ctx, const char *recording)
{
	struct report_reading *reading = ctx;
	struct csv_rows rows = { .text = NULL };
	struct recorded recorded;
	int status = EXIT_OK;

	diff_table_begin(reading->table, reading->side);
	for (int i = 0; !status && i < SOURCES; i++) {
		if (!i || !is_same_report(&sources[i - 1], &sources[i])) {
			struct diff_report report = report_of(&sources[i]);

			csv_rows_free(&rows);
			status = diff_capture(reading->options, recording,
					      &report, i ? NULL : &recorded,
					      &rows);
		}
		for (size_t row = 0; !status && row < csv_rows_count(&rows);
		     row++)
			if (add_row(reading->table, reading->side, &sources[i],
				    &rows, row) < 0)
				status = EXIT_FAILED;
	}
	if (!status && add_missing(reading, recording, &recorded) < 0)
		status = EXIT_FAILED;
	csv_rows_free(&rows);
	return status;
}

static bool chooses(const struct report_options *options)
{
	return options->since || options->until || options->cpus.count ||
	       options->pids.count || options->trees.count ||
	       name_choice_is_made(&options->comms);
}

/* Fills @table from the reports of both sides' recordings, options->input and
 * options->second. Returns the exit code.
 */
static int diff_reports_read(struct diff_table *table,
			     const struct report_options *options)
{
	struct report_reading reading = { .table = table, .options = options };
	int status = diff_each(options->input, add_reports_of, &reading);

	reading.side = 1;
	if (!status)
		status = diff_each(options->second, add_reports_of, &reading);
	if (!status) {
		leave_out(&reading);
		table->is_chosen = chooses(options);
		diff_table_end(table);
	}
	return status;
}

/* Writes the notes to standard error, for formats other than text, which has
 * them itself.
 */
static void say_notes(const struct diff_table *table)
{
	for (size_t i = 0; i < table->notes.count; i++)
		say_note("diff: %s", *(char **)array_at(&table->notes, i));
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

/* Reports the rows that became slower by more than @percent, except those of
 * processes, whose time consists of the other rows' time and of user code.
 * Returns EXIT_FAILED if there are any.
 */
static int fail_over(const struct diff_table *table, double percent)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < table->rows.count; i++) {
		const struct diff_row *row = array_at(&table->rows, i);
		double a_ns, b_ns;

		if (row->section == DIFF_PROCESSES ||
		    !diff_row_is_slower(row, table->recordings, percent))
			continue;
		a_ns = diff_side_mean(&row->sides[0], table->recordings[0])
			       .total_ns;
		b_ns = diff_side_mean(&row->sides[1], table->recordings[1])
			       .total_ns;
		say("slower by %.1f %%: %s %s%s%s: %s -> %s",
		    (b_ns - a_ns) * 100 / a_ns, diff_section_name(row->section),
		    row->name, *row->comm ? " of " : "", row->comm,
		    duration_text_of(diff_rounded(a_ns)).text,
		    duration_text_of(diff_rounded(b_ns)).text);
		status = EXIT_FAILED;
	}
	return status;
}

static int write_table(const struct diff_table *table,
		       const struct report_options *options, bool is_page)
{
	struct diff_output output;

	if (!diff_output_open(options, &output))
		return EXIT_FAILED;
	return diff_output_close(
		&output, is_page ? diff_page_write(table, options, output.out) :
				   write_records(table, options, output.out));
}

/* Compares as text, records or a page. */
static int compare_tables(const struct report_options *options, bool is_page,
			  double percent)
{
	struct diff_table table = diff_table_new();
	int status = diff_reports_read(&table, options);

	if (!status)
		status = write_table(&table, options, is_page);
	if (!status && percent >= 0)
		status = fail_over(&table, percent);
	diff_table_free(&table);
	return status;
}

static const char diff_formats[] = "text, csv, json, html or svg";

static bool is_format(const struct report_options *options, const char *name)
{
	return options->format && !strcmp(options->format, name);
}

struct input_check {
	const struct report_options *options;
	int status;
};

/* Checks one recording. Returns EXIT_OK even after a failure, so that all wrong
 * names are reported.
 */
static int check_input(void *ctx, const char *recording)
{
	struct input_check *check = ctx;

	if (access(recording, R_OK) < 0) {
		log_message(&console_log, LOG_ERROR, recording, LOG_NO_OFFSET,
			    "not opened: %s", strerror(errno));
		check->status = EXIT_FAILED;
	} else if (check->options->output &&
		   input_has(recording, check->options->output)) {
		say("%s: is part of the recording: write to another file",
		    check->options->output);
		check->status = EXIT_USAGE;
	}
	return EXIT_OK;
}

/* Checks the recordings of both sides before any is read, which may take
 * minutes. Returns the exit code.
 */
static int check_inputs(const struct report_options *options)
{
	struct input_check check = { .options = options };
	int status = diff_each(options->input, check_input, &check);

	if (!status)
		status = diff_each(options->second, check_input, &check);
	return status ? status : check.status;
}

static bool is_diff_format(const struct report_options *options)
{
	enum record_format format;

	return is_format(options, "svg") || is_format(options, "html") ||
	       record_format_find(options->format, &format);
}

/* Compares the recordings of @options. @percent is the limit of --fail-over,
 * negative without one. Returns the exit code.
 */
static int compare(const struct report_options *options, double percent)
{
	int status;

	if (!options->input || !options->second) {
		say_of("diff", "needs two recordings: diff A B");
		return EXIT_USAGE;
	}
	if (!is_diff_format(options))
		return report_format_refuse("diff", options->format,
					    diff_formats);
	if (percent >= 0 && !strchr(options->input, ',') &&
	    !strchr(options->second, ',')) {
		say("--fail-over needs several recordings of a side, which "
		    "show the noise: diff A1,A2 B1,B2");
		return EXIT_USAGE;
	}
	status = check_inputs(options);
	if (status)
		return status;
	if (is_format(options, "svg"))
		return diff_flame(options);
	return compare_tables(options, is_format(options, "html"), percent);
}

static const char *read_percent(void *percent, char *argument)
{
	char *end;
	double value = *(double *)percent = strtod(argument, &end);

	return *argument >= '0' && *argument <= '9' &&
			       (!*end || !strcmp(end, "%")) && isfinite(value) ?
		       NULL :
		       "a percentage";
}

static int run_diff(int argc, char **argv)
{
	static const struct own_option own[] = { {
		"fail-over",
		"PERCENT",
		"exit code 1 if a system call, sleep or function became "
		"slower by more than PERCENT (10%) and noise",
		.effect = OPTION_READ,
		.read = read_percent,
	} };
	static const char *const contradictions[][2] = {
		{ "fail-over", "format=svg" },
		{ NULL },
	};
	double percent = -1;
	const struct option_set set = {
		.command = "diff",
		.purpose = "Compares recordings: diff A B, or several per "
			   "side, which show the noise:\ndiff A1,A2 B1,B2.",
		.formats = diff_formats,
		.takes_two = true,
		OWN_OPTIONS(own),
		.contradictions = contradictions,
		.ctx = &percent,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	if (status < 0)
		status = compare(&options, percent);
	report_options_free(&options);
	return status;
}

const struct command diff_command = {
	.name = "diff",
	.summary = "compare recordings: what takes longer, what is new",
	.run = run_diff,
};
