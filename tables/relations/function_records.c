/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "symbolize/functions/function_table.h"
#include "tables/relations/function_report.h"
#include "tables/relations/part_tree.h"
#include "tables/table.h"
#include "tables/text/histogram.h"

/* After the columns of a histogram (histogram.h). */
enum column {
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
	/* Of the tree that is being walked. */
	const char *section;
	size_t rank;
	const struct part_tree *tree;
	const struct part_tree *typical; /* or NULL */
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
	/* Paths of other calls have weight 0. */
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

int function_report_records(const struct function_report *report,
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
