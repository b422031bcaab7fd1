/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "report/profile/call_graph.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile_report.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/record_writer.h"
#include "report/text/user_mark.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* A call graph with the orders in which a renderer needs its rows and arcs. */
struct graph_view {
	const struct profile_report *report;
	struct function_profile profile;
	struct call_graph graph;
	uint32_t *order;     /* rows by total time */
	uint32_t *number_of; /* by row: its position in the order, from 1 */
	uint32_t *by_caller; /* arcs by caller, then time */
	uint32_t *by_callee;
	uint32_t *in_cycles; /* rows of cycles, by cycle, then total time */
	uint32_t in_cycle_count;
	uint64_t count;	    /* number of rows to show */
	bool has_processes; /* rows of several processes */
};

/* The argument of qsort_r() for comparing two arcs by number. */
struct arc_order {
	const struct call_arc *arcs;
	bool by_callee;
};

static int compare_arcs(const void *a, const void *b, void *ctx)
{
	const struct arc_order *order = ctx;
	const struct call_arc *x = &order->arcs[*(const uint32_t *)a];
	const struct call_arc *y = &order->arcs[*(const uint32_t *)b];
	uint32_t x_key = order->by_callee ? x->callee : x->caller;
	uint32_t y_key = order->by_callee ? y->callee : y->caller;

	if (x_key != y_key)
		return x_key < y_key ? -1 : 1;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static uint32_t *sort_arcs(const struct call_graph *graph, bool by_callee)
{
	uint32_t *list = calloc(graph->arc_count + 1, sizeof(*list));
	struct arc_order order = { graph->arcs, by_callee };

	if (!list)
		return NULL;
	for (uint32_t i = 0; i < graph->arc_count; i++)
		list[i] = i;
	qsort_r(list, graph->arc_count, sizeof(*list), compare_arcs, &order);
	return list;
}

static int compare_rows_in_cycles(const void *a, const void *b, void *ctx)
{
	const struct graph_view *view = ctx;
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	uint32_t x_cycle = view->graph.cycle_of_row[x];
	uint32_t y_cycle = view->graph.cycle_of_row[y];

	if (x_cycle != y_cycle)
		return x_cycle < y_cycle ? -1 : 1;
	return view->number_of[x] < view->number_of[y] ? -1 : 1;
}

/* Finds the rows of cycles, which have numbers. */
static void sort_cycles(struct graph_view *view)
{
	for (uint32_t i = 0; i < view->profile.row_count; i++)
		if (view->graph.cycle_of_row[i])
			view->in_cycles[view->in_cycle_count++] = i;
	qsort_r(view->in_cycles, view->in_cycle_count, sizeof(uint32_t),
		compare_rows_in_cycles, view);
}

static void graph_view_free(struct graph_view *view)
{
	function_profile_free(&view->profile);
	call_graph_free(&view->graph);
	free(view->order);
	free(view->number_of);
	free(view->by_caller);
	free(view->by_callee);
	free(view->in_cycles);
}

static int sort_view(struct graph_view *view)
{
	size_t rows = view->profile.row_count;

	view->order = function_profile_by_total(&view->profile);
	view->number_of = calloc(rows + 1, sizeof(uint32_t));
	view->by_caller = sort_arcs(&view->graph, false);
	view->by_callee = sort_arcs(&view->graph, true);
	view->in_cycles = calloc(rows + 1, sizeof(uint32_t));
	if (!view->order || !view->number_of || !view->by_caller ||
	    !view->by_callee || !view->in_cycles)
		return -ERROR_MEMORY;
	for (uint32_t i = 0; i < rows; i++)
		view->number_of[view->order[i]] = i + 1;
	sort_cycles(view);
	for (uint32_t i = 1; i < rows; i++)
		view->has_processes |= view->profile.rows[i].pid !=
				       view->profile.rows[0].pid;
	view->count = rows < view->report->top ? rows : view->report->top;
	return 0;
}

/* Returns 0 or -ERROR_MEMORY. Call graph_view_free() after success. */
static int graph_view_make(const struct profile_report *report,
			   struct graph_view *view)
{
	int status;

	*view = (struct graph_view){ .report = report };
	status = function_profile_make(report->tree,
				       function_count(report->functions),
				       &view->profile);
	if (!status)
		status = call_graph_make(report->tree, &view->profile,
					 &view->graph);
	if (!status)
		status = sort_view(view);
	if (status < 0)
		graph_view_free(view);
	return status;
}

/* Returns the first index in @list (by_callee or by_caller) whose arc has @row
 * at the end by which the list is sorted.
 */
static size_t graph_view_first(const struct graph_view *view,
			       const uint32_t *list, uint32_t row)
{
	bool by_callee = list == view->by_callee;
	size_t low = 0;
	size_t high = view->graph.arc_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct call_arc *arc = &view->graph.arcs[list[middle]];

		if ((by_callee ? arc->callee : arc->caller) < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct function_label graph_view_label(const struct graph_view *view,
					      uint32_t row)
{
	const struct function_row *about = &view->profile.rows[row];

	return tree_function_label(view->report, about->function, about->pid);
}

/* Returns the number of entries of all kinds, from which the caller's share of
 * its callee's entries is written.
 */
static uint64_t entries(const struct call_counts *counts)
{
	return call_counts_calls(counts) + counts->starts + counts->inferred;
}

static struct duration_text text_of(const struct graph_view *view,
				    uint64_t time)
{
	return time_unit_text(time_unit_of(view->report->recording), time);
}

/* Writes a function's name, with its process before it if there are several,
 * and with the number of its cycle and its position in the report after it.
 */
static void write_name(const struct graph_view *view, uint32_t row, FILE *out)
{
	const struct function_table *functions = view->report->functions;
	uint32_t function = view->profile.rows[row].function;

	if (view->has_processes)
		name_write(out, NAME_TEXT, graph_view_label(view, row).text);
	else
		name_write(out, NAME_TEXT, function_text(functions, function));
	if (!view->has_processes)
		fputs(user_mark(function_at(functions, function)), out);
	if (view->graph.cycle_of_row[row])
		fprintf(out, " <cycle %" PRIu32 ">",
			view->graph.cycle_of_row[row]);
	fprintf(out, " [%" PRIu32 "]", view->number_of[row]);
}

/* Writes the line of an arc; @row is the caller or the callee, which the line
 * names.
 */
static void write_arc(const struct graph_view *view, const struct call_arc *arc,
		      uint32_t row, FILE *out)
{
	const struct function_row *callee = &view->profile.rows[arc->callee];
	char called[48];

	snprintf(called, sizeof(called), "%" PRIu64 "/%" PRIu64,
		 entries(&arc->calls), entries(&callee->calls));
	fprintf(out, "%14s %9s %9s %15s     ", "",
		self_text_of(view->report, arc->self_ns, arc->inferred_ns).text,
		text_of(view, arc->total_ns > arc->self_ns ?
				      arc->total_ns - arc->self_ns :
				      0)
			.text,
		called);
	if (row == CALL_GRAPH_NOBODY) {
		fputs("<spontaneous>\n", out);
		return;
	}
	if (arc->is_interrupt)
		fputs("<interrupt> ", out);
	write_name(view, row, out);
	fputc('\n', out);
}

/* Writes the arcs to @row if @parents, otherwise those from it; without
 * self-calls, which are in the function's own line.
 */
static void write_arcs(const struct graph_view *view, uint32_t row,
		       bool parents, FILE *out)
{
	const uint32_t *list = parents ? view->by_callee : view->by_caller;

	for (size_t i = graph_view_first(view, list, row);
	     i < view->graph.arc_count; i++) {
		const struct call_arc *arc = &view->graph.arcs[list[i]];

		if ((parents ? arc->callee : arc->caller) != row)
			break;
		if (arc->caller != arc->callee || arc->is_interrupt)
			write_arc(view, arc,
				  parents ? arc->caller : arc->callee, out);
	}
}

/* Returns the number of direct self-calls of @row. */
static uint64_t self_calls(const struct graph_view *view, uint32_t row)
{
	uint64_t calls = 0;

	for (size_t i = graph_view_first(view, view->by_caller, row);
	     i < view->graph.arc_count; i++) {
		const struct call_arc *arc =
			&view->graph.arcs[view->by_caller[i]];

		if (arc->caller != row)
			break;
		if (arc->callee == row && !arc->is_interrupt)
			calls += entries(&arc->calls);
	}
	return calls;
}

static void write_primary(const struct graph_view *view, uint32_t row,
			  FILE *out)
{
	const struct function_row *about = &view->profile.rows[row];
	const struct colors *colors = view->report->colors;
	uint64_t own = self_calls(view, row);
	double share = view->profile.self_ns ?
			       100.0 * (double)about->total_ns /
				       (double)view->profile.self_ns :
			       0;
	char index[24];
	char called[48];

	snprintf(index, sizeof(index), "[%" PRIu32 "]", view->number_of[row]);
	if (own)
		snprintf(called, sizeof(called), "%" PRIu64 "+%" PRIu64,
			 entries(&about->calls) - own, own);
	else
		snprintf(called, sizeof(called), "%" PRIu64,
			 entries(&about->calls));
	fprintf(out, "%s%-7s %s%6.1f%s %9s %9s %15s ", colors->subject, index,
		colors_of_share(colors, share), share, colors->plain,
		self_text_of(view->report, about->self_ns, about->inferred_ns)
			.text,
		text_of(view, about->total_ns - about->self_ns).text, called);
	fputs(colors->subject, out);
	write_name(view, row, out);
	fprintf(out, "%s\n", colors->plain);
}

/* Writes @cycle, whose rows start at @at in view->in_cycles: its members among
 * the first --top functions, the number of the others, and the self time of
 * all. Returns where the next cycle starts.
 */
static uint32_t write_cycle(const struct graph_view *view, uint32_t cycle,
			    uint32_t at, FILE *out)
{
	uint64_t self_ns = 0;
	uint32_t more = 0;

	fprintf(out, "<cycle %" PRIu32 " as a whole>\n", cycle);
	for (; at < view->in_cycle_count; at++) {
		uint32_t row = view->in_cycles[at];

		if (view->graph.cycle_of_row[row] != cycle)
			break;
		self_ns += view->profile.rows[row].self_ns;
		if (view->number_of[row] > view->count) {
			more++;
			continue;
		}
		fputs("    ", out);
		write_name(view, row, out);
		fputc('\n', out);
	}
	if (more)
		fprintf(out, "    and %" PRIu32 " more\n", more);
	fprintf(out, "    self %s\n", text_of(view, self_ns).text);
	return at;
}

static void write_cycles(const struct graph_view *view, FILE *out)
{
	uint32_t at = 0;

	for (uint32_t cycle = 1; cycle <= view->graph.cycle_count; cycle++)
		at = write_cycle(view, cycle, at, out);
}

int render_callgraph_text(const struct profile_report *report, FILE *out)
{
	struct graph_view view;
	int status = graph_view_make(report, &view);

	if (status < 0)
		return status;
	render_title(report, "Call graph", out);
	fprintf(out, "%-7s %6s %9s %9s %15s %s\n", "index", "time %", "self",
		"children", "called", "function");
	for (uint64_t i = 0; i < view.count; i++) {
		write_arcs(&view, view.order[i], true, out);
		write_primary(&view, view.order[i], out);
		write_arcs(&view, view.order[i], false, out);
		fprintf(out, "%s%s%s\n", report->colors->faint,
			"-----------------------------------------------",
			report->colors->plain);
	}
	write_cycles(&view, out);
	graph_view_free(&view);
	return 0;
}

/* Returns the module of a function, which distinguishes functions with the same
 * name; "" for CALL_GRAPH_NOBODY.
 */
static const char *module_of(const struct graph_view *view, uint32_t row)
{
	if (row == CALL_GRAPH_NOBODY)
		return "";
	return function_at(view->report->functions,
			   view->profile.rows[row].function)
		->module;
}

static const char *symbol_of(const struct graph_view *view, uint32_t row)
{
	if (row == CALL_GRAPH_NOBODY)
		return "";
	return function_symbol(function_at(view->report->functions,
					   view->profile.rows[row].function));
}

static void write_fields(struct record_writer *writer, const void *ctx,
			 uint64_t index)
{
	const struct graph_view *view = ctx;
	const struct call_arc *arc = &view->graph.arcs[view->by_callee[index]];
	struct function_label callee = graph_view_label(view, arc->callee);
	struct function_label caller = { "" };

	if (arc->caller != CALL_GRAPH_NOBODY)
		caller = graph_view_label(view, arc->caller);
	record_text(writer, "caller", caller.text);
	record_text(writer, "function", callee.text);
	record_number(writer, "calls", call_counts_calls(&arc->calls));
	record_number(writer, "self_ns", arc->self_ns);
	record_number(writer, "total_ns", arc->total_ns);
	record_number(writer, "calls_direct", arc->calls.direct);
	record_number(writer, "calls_tail", arc->calls.tail);
	record_number(writer, "calls_async", arc->calls.async);
	record_number(writer, "starts", arc->calls.starts);
	record_number(writer, "inferred", arc->calls.inferred);
	record_number(writer, "interrupt", arc->is_interrupt);
	record_number(writer, "cycle", view->graph.cycle_of_row[arc->callee]);
	record_text(writer, "module", module_of(view, arc->callee));
	record_text(writer, "caller_module", module_of(view, arc->caller));
	record_text(writer, "symbol", symbol_of(view, arc->callee));
	record_text(writer, "caller_symbol", symbol_of(view, arc->caller));
	if (view->report->interrupts)
		record_number(writer, "self_inferred_ns", arc->inferred_ns);
	if (view->report->groups)
		record_text(writer, "group",
			    tree_label(view->report,
				       view->profile.rows[arc->callee].pid)
				    .text);
}

static int write_records(const struct profile_report *report, FILE *out,
			 enum record_format format)
{
	struct record_writer writer = record_writer_of(out, format);
	struct graph_view view;
	int status = graph_view_make(report, &view);

	if (status < 0)
		return status;
	writer.unit = time_unit_of(report->recording);
	record_writer_table(&writer, write_fields, &view,
			    view.graph.arc_count < report->top ?
				    view.graph.arc_count :
				    report->top);
	graph_view_free(&view);
	return 0;
}

int render_callgraph_csv(const struct profile_report *report, FILE *out)
{
	return write_records(report, out, RECORD_CSV);
}

int render_callgraph_json(const struct profile_report *report, FILE *out)
{
	return write_records(report, out, RECORD_JSON);
}
