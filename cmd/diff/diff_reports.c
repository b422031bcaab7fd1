/* SPDX-License-Identifier: MIT */
#include "cmd/diff/diff_reports.h"

#include "cmd/command.h"
#include "cmd/diff/diff_capture.h"
#include "common/error.h"
#include "report/diff/diff_table.h"
#include "report/profile/profile_report.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NEEDS_NOTHING = -1 };

/* The columns of a report that make up the rows of a section. */
struct source {
	enum diff_section section;
	const char *table; /* of attribution; NULL: the flat profile */
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

static int add_row(struct diff_table *table, int side,
		   const struct source *source, const struct csv_rows *rows,
		   size_t index)
{
	double total_ns = csv_rows_number(rows, index, source->total);
	double by_tracer_ns = tracer_ns(source, rows, index);
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
struct reading {
	struct diff_table *table;
	const struct report_options *options;
	int side;
	bool is_missing[SOURCES]; /* in a recording of either side */
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
static int add_missing(struct reading *reading, const char *recording,
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
static void leave_out(const struct reading *reading)
{
	for (int i = 0; i < SOURCES; i++)
		if (reading->is_missing[i])
			diff_table_leave_out(reading->table, sources[i].section,
					     sources[i].fixed);
}

static int add_recording(void *ctx, const char *recording)
{
	struct reading *reading = ctx;
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

int diff_reports_read(struct diff_table *table,
		      const struct report_options *options)
{
	struct reading reading = { .table = table, .options = options };
	int status = diff_each(options->input, add_recording, &reading);

	reading.side = 1;
	if (!status)
		status = diff_each(options->second, add_recording, &reading);
	if (!status) {
		leave_out(&reading);
		table->is_chosen = chooses(options);
		diff_table_end(table);
	}
	return status;
}
