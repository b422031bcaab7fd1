/* SPDX-License-Identifier: MIT */
#include "attribution/events/event_handler.h"
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/relations/function_choice_internal.h"
#include "tables/relations/function_report_internal.h"
#include "tables/table.h"
#include "tables/text/histogram.h"

#include <string.h>

/* Columns of the rows, after those of a histogram (histogram.h). */
enum relation_column {
	COLUMN_RANK = HISTOGRAM_COLUMNS,
	COLUMN_DEPTH,
	COLUMN_DIRECT,
	COLUMN_TAIL,
	COLUMN_ASYNC,
	COLUMN_STARTS,
	COLUMN_INFERRED,
	COLUMN_INTERRUPT,
	COLUMN_SELF,
	COLUMN_WALL,
	COLUMN_ON_CPU,
	COLUMN_OFF_CPU,
	COLUMN_TYPICAL_ON_CPU,
	COLUMN_TYPICAL_OFF_CPU,
	COLUMN_TIME,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_CPU,
	COLUMNS,
};

static const char *const columns[COLUMNS] = {
	HISTOGRAM_COLUMN_NAMES("calls"),
	[COLUMN_RANK] = "rank",
	[COLUMN_DEPTH] = "depth",
	[COLUMN_DIRECT] = "calls_direct",
	[COLUMN_TAIL] = "calls_tail",
	[COLUMN_ASYNC] = "calls_async",
	[COLUMN_STARTS] = "starts",
	[COLUMN_INFERRED] = "inferred",
	[COLUMN_INTERRUPT] = "interrupt",
	[COLUMN_SELF] = "self_ns",
	[COLUMN_WALL] = "wall_ns",
	[COLUMN_ON_CPU] = "on_cpu_ns",
	[COLUMN_OFF_CPU] = "off_cpu_ns",
	[COLUMN_TYPICAL_ON_CPU] = "typical_on_cpu_ns",
	[COLUMN_TYPICAL_OFF_CPU] = "typical_off_cpu_ns",
	[COLUMN_TIME] = "time_ns",
	[COLUMN_PID] = "pid",
	[COLUMN_TID] = "tid",
	[COLUMN_CPU] = "cpu",
};

struct maker {
	const struct function_report *report;
	struct sparse_rows rows;
	/* Set for each tree that is walked: */
	const char *section;
	size_t rank;
	const struct part_tree *tree;
	const struct part_tree *typical; /* NULL: the tree is not compared */
};

static void set_counts(struct sparse_row *row, const struct call_counts *calls)
{
	sparse_row_set(row, HISTOGRAM_COUNT, call_counts_calls(calls));
	sparse_row_set(row, COLUMN_DIRECT, calls->direct);
	sparse_row_set(row, COLUMN_TAIL, calls->tail);
	sparse_row_set(row, COLUMN_ASYNC, calls->async);
	sparse_row_set(row, COLUMN_STARTS, calls->starts);
	sparse_row_set(row, COLUMN_INFERRED, calls->inferred);
}

static int add_function(struct maker *maker)
{
	const struct function_relations *relations = maker->report->relations;
	struct sparse_row *row =
		sparse_rows_add(&maker->rows, "function", maker->report->name);

	if (!row)
		return -ERROR_MEMORY;
	set_counts(row, &relations->calls);
	sparse_row_set(row, COLUMN_SELF, relations->self_ns);
	sparse_row_set(row, HISTOGRAM_TOTAL, relations->total_ns);
	return 0;
}

static int add_relations(struct maker *maker, const char *section,
			 const struct array *relations)
{
	for (size_t i = 0; i < relations->count; i++) {
		const struct function_relation *relation =
			array_at(relations, i);
		struct sparse_row *row = sparse_rows_add(
			&maker->rows, section,
			function_report_relation(maker->report, relation));

		if (!row)
			return -ERROR_MEMORY;
		set_counts(row, &relation->calls);
		sparse_row_set(row, COLUMN_INTERRUPT, relation->is_interrupt);
		sparse_row_set(row, COLUMN_SELF, relation->self_ns);
		sparse_row_set(row, HISTOGRAM_TOTAL, relation->total_ns);
	}
	return 0;
}

static int add_time(struct maker *maker, enum study_time which)
{
	return histogram_rows_figures(
		       &maker->rows, "time", function_report_time_name(which),
		       function_study_time(maker->report->study, which)) ?
		       0 :
		       -ERROR_MEMORY;
}

static double weight_of(const void *ctx, uint32_t node)
{
	const struct maker *maker = ctx;
	struct part_line line = part_tree_line(maker->tree, node);
	double weight = line.on_cpu_ns + line.off_cpu_ns;

	if (maker->typical) {
		line = part_tree_line(maker->typical, node);
		weight -= line.on_cpu_ns + line.off_cpu_ns;
	}
	return weight < 0 ? -weight : weight;
}

static int add_part(void *ctx, uint32_t node, uint32_t depth)
{
	struct maker *maker = ctx;
	const struct call_tree *tree =
		function_study_tree(maker->report->study);
	struct part_line line = part_tree_line(maker->tree, node);
	struct sparse_row *row =
		sparse_rows_add(&maker->rows, maker->section,
				function_at(maker->report->functions,
					    call_tree_at(tree, node)->function)
					->name);

	if (!row)
		return -ERROR_MEMORY;
	sparse_row_set(row, COLUMN_DEPTH, depth);
	sparse_row_set(row, COLUMN_ON_CPU, (uint64_t)line.on_cpu_ns);
	sparse_row_set(row, COLUMN_OFF_CPU, (uint64_t)line.off_cpu_ns);
	if (!maker->typical) {
		sparse_row_set(row, COLUMN_RANK, maker->rank);
		sparse_row_set(row, HISTOGRAM_COUNT, (uint64_t)line.calls);
		sparse_row_set(row, COLUMN_SELF, (uint64_t)line.self_ns);
		return 0;
	}
	line = part_tree_line(maker->typical, node);
	sparse_row_set(row, COLUMN_TYPICAL_ON_CPU, (uint64_t)line.on_cpu_ns);
	sparse_row_set(row, COLUMN_TYPICAL_OFF_CPU, (uint64_t)line.off_cpu_ns);
	return 0;
}

static int add_tree(struct maker *maker, const char *section,
		    const struct part_tree *parts)
{
	maker->section = section;
	maker->tree = parts;
	/* Paths that none of these calls took have weight 0. */
	return part_tree_walk(function_study_tree(maker->report->study),
			      weight_of, 1e-9, add_part, maker);
}

static int add_slow_call(struct maker *maker, const struct slow_call *call)
{
	struct sparse_row *row =
		sparse_rows_add(&maker->rows, "slow_call", maker->report->name);
	struct part_tree *parts;
	int status;

	if (!row)
		return -ERROR_MEMORY;
	sparse_row_set(row, COLUMN_RANK, maker->rank);
	sparse_row_set(row, COLUMN_WALL, call->wall_ns);
	sparse_row_set(row, COLUMN_TIME, call->begin_ns);
	sparse_row_set(row, COLUMN_PID, (uint64_t)(int64_t)call->pid);
	sparse_row_set(row, COLUMN_TID, (uint64_t)(int64_t)call->tid);
	sparse_row_set(row, COLUMN_CPU, call->cpu);
	parts = part_tree_new(function_study_tree(maker->report->study),
			      &call->parts, 1);
	if (!parts)
		return -ERROR_MEMORY;
	status = add_tree(maker, "slow_call_part", parts);
	part_tree_free(parts);
	return status;
}

static int add_slow_calls(struct maker *maker, uint64_t top)
{
	const struct slow_call *call;
	int status = 0;

	for (size_t i = 0;
	     !status && i < top &&
	     (call = function_study_slow(maker->report->study, i));
	     i++) {
		maker->rank = i + 1;
		status = add_slow_call(maker, call);
	}
	return status;
}

static int add_class(struct maker *maker, const char *name,
		     const struct study_class *class)
{
	struct sparse_row *row = sparse_rows_add(&maker->rows, "class", name);

	if (!row)
		return -ERROR_MEMORY;
	sparse_row_set(row, HISTOGRAM_COUNT, class->calls);
	sparse_row_set(row, HISTOGRAM_MIN, class->min_ns);
	sparse_row_set(row, HISTOGRAM_MAX, class->max_ns);
	return 0;
}

static int add_comparison(struct maker *maker)
{
	const struct function_report *report = maker->report;
	int status = add_class(maker, "slow", report->slow);

	if (!status)
		status = add_class(maker, "typical", report->typical);
	maker->typical = report->typical_tree;
	if (!status && report->slow->min_ns > report->typical->min_ns)
		status = add_tree(maker, "difference", report->slow_tree);
	return status;
}

static int add_all(struct maker *maker, uint64_t top)
{
	const struct function_relations *relations = maker->report->relations;
	int status = add_function(maker);

	if (!status)
		status = add_relations(maker, "caller", &relations->callers);
	if (!status)
		status = add_relations(maker, "callee", &relations->callees);
	for (int i = 0; i < STUDY_TIMES && !status; i++)
		status = add_time(maker, (enum study_time)i);
	if (!status)
		status = histogram_rows_bars(
			&maker->rows, function_report_time_name(STUDY_WALL),
			function_study_time(maker->report->study, STUDY_WALL));
	if (!status)
		status = add_slow_calls(maker, top);
	return status ? status : add_comparison(maker);
}

static int function_report_records(const struct function_report *report,
				   const struct attribution_output *output)
{
	enum { SLOW_CALLS = 10 }; /* default without --top */
	struct maker maker = {
		.report = report,
		.rows = sparse_rows_of(columns, COLUMNS),
	};
	int status = add_all(&maker, output->top == UINT64_MAX ? SLOW_CALLS :
								 output->top);

	if (!status)
		sparse_rows_write(&maker.rows, output->out, output->format);
	sparse_rows_free(&maker.rows);
	return status;
}

enum { SLOWEST_CALLS = 64 }; /* collected before --top is known */

struct relations_table {
	struct event_handler handler;
	struct attribution_input input;
	struct function_choice *choice;
	struct profile *profile;
	struct function_study *study;
	int status;
};

static bool check(const struct attribution_input *input, char *message,
		  size_t size)
{
	return function_choice_check(symbols_functions(input->symbols),
				     input->argument, strlen(input->argument),
				     message, size);
}

static void consume(struct event_handler *handler, const struct call_step *step)
{
	struct relations_table *table = (struct relations_table *)handler;
	struct step_callback *callback = profile_callback(table->profile);

	callback->consume(callback, step);
	if (!table->status)
		table->status = function_study_consume(table->study, step);
}

/* Returns whether the pass may end: the window has ended, and no studied call
 * is open.
 */
static bool is_done(const struct event_handler *handler, uint64_t time_ns)
{
	const struct relations_table *table =
		(const struct relations_table *)handler;

	return function_study_is_done(table->study, time_ns);
}

static void close_table(struct event_handler *handler)
{
	struct relations_table *table = (struct relations_table *)handler;

	function_study_free(table->study);
	profile_free(table->profile);
	function_choice_free(table->choice);
}

static bool open_parts(struct relations_table *table)
{
	const struct attribution_input *input = &table->input;
	const struct profile_options profile = {
		.filter = input->filter,
		.window = input->window,
	};
	struct function_study_options study = {
		.filter = input->filter,
		.window = input->window,
		.slowest = SLOWEST_CALLS,
	};

	table->choice = function_choice_new(symbols_functions(input->symbols),
					    input->argument,
					    strlen(input->argument));
	study.functions = table->choice;
	table->profile = profile_new(&profile);
	if (table->choice)
		table->study = function_study_new(&study);
	return table->profile && table->study;
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct relations_table *table = (struct relations_table *)handler;

	table->handler.step = consume;
	table->input = *input;
	return open_parts(table);
}

static int show(const struct relations_table *table,
		struct function_report *report,
		const struct attribution_output *output)
{
	const struct call_tree *tree = function_study_tree(table->study);
	struct part_tree *slow =
		part_tree_new(tree, &report->slow->parts, report->slow->calls);
	struct part_tree *typical = part_tree_new(tree, &report->typical->parts,
						  report->typical->calls);
	int status = -ERROR_MEMORY;

	report->slow_tree = slow;
	report->typical_tree = typical;
	if (slow && typical)
		status = output->format == RECORD_TABLE ?
				 function_report_text(report, output) :
				 function_report_records(report, output);
	part_tree_free(slow);
	part_tree_free(typical);
	return status;
}

static int show_compared(const struct relations_table *table,
			 struct function_report *report,
			 const struct attribution_output *output)
{
	struct study_class slow;
	struct study_class typical;
	int status = function_study_compare(table->study, &slow, &typical);

	if (status < 0)
		return status;
	report->slow = &slow;
	report->typical = &typical;
	status = show(table, report, output);
	study_class_free(&slow);
	study_class_free(&typical);
	return status;
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	const struct relations_table *table =
		(const struct relations_table *)handler;
	const struct function_table *functions =
		symbols_functions(table->input.symbols);
	struct function_relations relations;
	struct function_report report = {
		.name = table->input.argument,
		.functions = functions,
		.names = table->input.names,
		.relations = &relations,
		.study = table->study,
		.origin_ns = table->input.origin_ns,
	};
	int status = table->status;

	/* The order of this report's tables is fixed. */
	if (output->sort)
		return -ERROR_NOT_FOUND;
	if (!status)
		status = profile_end(table->profile);
	if (!status)
		status = function_relations_make(profile_tree(table->profile),
						 function_count(functions),
						 table->choice, &relations);
	if (status < 0)
		return status;
	status = show_compared(table, &report, output);
	function_relations_free(&relations);
	return status;
}

const struct attribution_table relations_table = {
	.name = "function",
	.argument = "NAME",
	.help = "one function: callers, callees, times, its slowest calls",
	.check = check,
	.size = sizeof(struct relations_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.is_done = is_done,
};
