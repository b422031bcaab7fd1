/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile_report.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/record_writer.h"
#include "report/text/user_mark.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The width of the column of groups: fits a task's name with its id. */
enum { GROUP_WIDTH = 15 };

/* The rows in order, with cumulative values. */
struct flat {
	const struct profile_report *report;
	struct function_profile profile;
	uint32_t *order;
	uint64_t *cumulative_ns; /* by position in the order */
	uint64_t count;		 /* number of rows to show */
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Returns the time per call. A start counts as a call; a function without calls
 * and starts counts as called once.
 */
static double per_call(uint64_t time_ns, const struct call_counts *counts)
{
	uint64_t calls = call_counts_calls(counts) + counts->starts;

	return (double)time_ns / (double)(calls ? calls : 1);
}

/* Each of the last three columns exists only in one case: if interrupt work is
 * charged to beneficiaries, with --by, with --lines.
 */
const struct column flat_columns[] = {
	TEXT_COLUMN("function", "name of the function"),
	INT_COLUMN("calls", "direct + tail + async"),
	NS_COLUMN("self_ns", "time on a CPU in the function itself"),
	NS_COLUMN("total_ns", "time including callees; recursion counts once"),
	INT_COLUMN("calls_direct", "entries by calls and system calls"),
	INT_COLUMN("calls_tail", "entries by a jump at the end of the caller"),
	INT_COLUMN("calls_async", "entries by interrupts and exceptions"),
	INT_COLUMN("starts", "not in calls: how often the trace starts in it"),
	INT_COLUMN("inferred",
		   "not in calls: how often it was already running when it "
		   "was first seen"),
	REAL_COLUMN("time_percent", "share of all self_ns"),
	NS_COLUMN("cumulative_ns", "self_ns of this row and those above"),
	REAL_COLUMN("self_ns_per_call", "self_ns by call and start"),
	REAL_COLUMN("total_ns_per_call", "total_ns by call and start"),
	TEXT_COLUMN("address", "address of its first instruction"),
	TEXT_COLUMN("module", "program, library or kernel module"),
	TEXT_COLUMN("symbol", "name in the symbol table"),
	NS_COLUMN("self_inferred_ns", "part of self_ns that is inferred"),
	TEXT_COLUMN("group", "process or group"),
	TEXT_COLUMN("source", "file and line of its start"),
	END_OF_COLUMNS,
};

static void write_fields(struct record_writer *writer, const void *ctx,
			 uint64_t index)
{
	const struct flat *flat = ctx;
	const struct function_row *row =
		&flat->profile.rows[flat->order[index]];
	const struct function_table *functions = flat->report->functions;
	const struct function *function = function_at(functions, row->function);
	struct function_label label =
		tree_function_label(flat->report, row->function, row->pid);

	record_text(writer, "function", label.text);
	record_number(writer, "calls", call_counts_calls(&row->calls));
	record_number(writer, "self_ns", row->self_ns);
	record_number(writer, "total_ns", row->total_ns);
	record_number(writer, "calls_direct", row->calls.direct);
	record_number(writer, "calls_tail", row->calls.tail);
	record_number(writer, "calls_async", row->calls.async);
	record_number(writer, "starts", row->calls.starts);
	record_number(writer, "inferred", row->calls.inferred);
	record_real(writer, "time_percent",
		    percent(row->self_ns, flat->profile.self_ns), 4);
	record_number(writer, "cumulative_ns", flat->cumulative_ns[index]);
	record_real(writer, "self_ns_per_call",
		    per_call(row->self_ns, &row->calls), 2);
	record_real(writer, "total_ns_per_call",
		    per_call(row->total_ns, &row->calls), 2);
	record_address(writer, "address", function->address);
	record_text(writer, "module", function->module);
	record_text(writer, "symbol", function_symbol(function));
	if (flat->report->interrupts)
		record_number(writer, "self_inferred_ns", row->inferred_ns);
	if (flat->report->groups)
		record_text(writer, "group",
			    tree_label(flat->report, row->pid).text);
	if (flat->report->lines)
		record_text(writer, "source",
			    source_label_of(flat->report->lines, functions,
					    row->function)
				    .text);
}

static void add_up(struct flat *flat)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < flat->profile.row_count; i++) {
		sum += flat->profile.rows[flat->order[i]].self_ns;
		flat->cumulative_ns[i] = sum;
	}
}

/* Sorts the rows by a column of their present order, which may be the
 * cumulative time, and computes the cumulative times again.
 */
static int sort(struct flat *flat)
{
	size_t count = flat->profile.row_count;
	uint32_t *sorted = calloc(count + 1, sizeof(*sorted));
	uint64_t *order = NULL;
	int status = -ERROR_MEMORY;

	if (sorted)
		status = record_order(write_fields, flat, count,
				      flat->report->sort, &order);
	for (size_t i = 0; i < count && !status; i++)
		sorted[i] = flat->order[order[i]];
	free(order);
	if (status < 0) {
		free(sorted);
		return status;
	}
	free(flat->order);
	flat->order = sorted;
	add_up(flat);
	return 0;
}

static int put_in_order(struct flat *flat)
{
	flat->order = function_profile_by_self(&flat->profile);
	flat->cumulative_ns = calloc(flat->profile.row_count + 1,
				     sizeof(*flat->cumulative_ns));
	if (!flat->order || !flat->cumulative_ns)
		return -ERROR_MEMORY;
	add_up(flat);
	return flat->report->sort ? sort(flat) : 0;
}

static void flat_free(struct flat *flat)
{
	function_profile_free(&flat->profile);
	free(flat->order);
	free(flat->cumulative_ns);
}

static int flat_make(const struct profile_report *report, struct flat *flat)
{
	int status;

	*flat = (struct flat){ .report = report };
	status = function_profile_make(report->tree,
				       function_count(report->functions),
				       &flat->profile);
	if (!status)
		status = put_in_order(flat);
	if (status < 0) {
		flat_free(flat);
		return status;
	}
	flat->count = flat->profile.row_count;
	if (flat->count > report->top)
		flat->count = report->top;
	return 0;
}

static int write_records(const struct profile_report *report, FILE *out,
			 enum record_format format)
{
	struct record_writer writer = record_writer_of(out, format);
	struct flat flat;
	int status = flat_make(report, &flat);

	if (status < 0)
		return status;
	writer.unit = time_unit_of(report->recording);
	record_writer_table(&writer, write_fields, &flat, flat.count);
	flat_free(&flat);
	return 0;
}

int render_flat_csv(const struct profile_report *report, FILE *out)
{
	return write_records(report, out, RECORD_CSV);
}

int render_flat_json(const struct profile_report *report, FILE *out)
{
	return write_records(report, out, RECORD_JSON);
}

static void write_name(const struct flat *flat, const struct function_row *row,
		       FILE *out)
{
	const struct function_table *functions = flat->report->functions;
	struct source_label source =
		source_label_of(flat->report->lines, functions, row->function);

	name_write(out, NAME_TEXT, function_text(functions, row->function));
	fputs(user_mark(function_at(functions, row->function)), out);
	if (*source.text) {
		fputs("  (", out);
		name_write(out, NAME_TEXT, source.text);
		fputs(")", out);
	}
}

static void write_tree(const struct flat *flat, int32_t tree, FILE *out)
{
	const struct profile_report *report = flat->report;
	struct group_label label;

	if (!report->groups) {
		if (report->by_process)
			fprintf(out, "%6" PRId32 "  ", tree);
		return;
	}
	label = tree_label(report, tree);
	name_write(out, NAME_TEXT, label.text);
	fprintf(out, "%*s  ",
		strlen(label.text) < GROUP_WIDTH ?
			(int)(GROUP_WIDTH - strlen(label.text)) :
			0,
		"");
}

static struct duration_text time_of_call(const struct time_unit *unit,
					 uint64_t time_ns,
					 const struct call_counts *counts)
{
	return time_unit_text(unit,
			      (uint64_t)(per_call(time_ns, counts) + 0.5));
}

static void write_line(const struct flat *flat, uint64_t index, FILE *out)
{
	const struct function_row *row =
		&flat->profile.rows[flat->order[index]];
	const struct time_unit *unit = time_unit_of(flat->report->recording);
	const struct colors *colors = flat->report->colors;
	double share = percent(row->self_ns, flat->profile.self_ns);

	fprintf(out, "%s%6.2f%s %10s %9s %8" PRIu64 " %6" PRIu64 " %9s %10s  ",
		colors_of_share(colors, share), share,
		*colors_of_share(colors, share) ? colors->plain : "",
		time_unit_text(unit, flat->cumulative_ns[index]).text,
		self_text_of(flat->report, row->self_ns, row->inferred_ns).text,
		call_counts_calls(&row->calls), row->calls.starts,
		time_of_call(unit, row->self_ns, &row->calls).text,
		time_of_call(unit, row->total_ns, &row->calls).text);
	write_tree(flat, row->pid, out);
	write_name(flat, row, out);
	fputc('\n', out);
}

int render_flat_text(const struct profile_report *report, FILE *out)
{
	struct flat flat;
	int status = flat_make(report, &flat);

	if (status < 0)
		return status;
	render_title(report, "Flat profile", out);
	fprintf(out, "%6s %10s %9s %8s %6s %9s %10s  %s%s\n", "time %",
		"cumulative", "self", "calls", "starts", "self/call",
		"total/call",
		report->groups	   ? "group            " :
		report->by_process ? "   pid  " :
				     "",
		"function");
	for (uint64_t i = 0; i < flat.count; i++)
		write_line(&flat, i, out);
	flat_free(&flat);
	return 0;
}
