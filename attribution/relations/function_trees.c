/* SPDX-License-Identifier: MIT */
#include "attribution/relations/function_trees.h"

#include "attribution/relations/function_report.h"
#include "attribution/relations/part_tree.h"
#include "attribution/table.h"
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "report/text/task_label.h"
#include "report/text/task_names.h"
#include "symbolize/function_table.h"

#include <inttypes.h>

enum {
	SLOW_CALLS_SHOWN = 3,
	NAME_INDENT = 2,
};

/* Of a slow call, parts under this share of it are left out. */
static const double least_share = 0.03;
/* Of a difference. */
static const double least_difference = 0.05;

/* A tree in text, of one call or of a comparison. */
struct text_tree {
	const struct function_report *report;
	const struct part_tree *tree;
	const struct part_tree *typical;	/* NULL for one call */
	FILE *out;
};

static const char *node_name(const struct text_tree *text, uint32_t node)
{
	const struct call_tree *tree = function_study_tree(text->report->study);

	return function_at(text->report->functions,
			   call_tree_at(tree, node)->function)
		->name;
}

static double whole_time(const struct part_line *line)
{
	return line->on_cpu_ns + line->off_cpu_ns;
}

static double weight_of_part(const void *ctx, uint32_t node)
{
	const struct text_tree *text = ctx;
	struct part_line line = part_tree_line(text->tree, node);

	return whole_time(&line);
}

static int write_part(void *ctx, uint32_t node, uint32_t depth)
{
	const struct text_tree *text = ctx;
	struct part_line line = part_tree_line(text->tree, node);

	fprintf(text->out, "  %12.0f %12.0f %12.0f %8.0f  %*s%s\n",
		whole_time(&line), line.on_cpu_ns, line.off_cpu_ns, line.calls,
		(int)depth * NAME_INDENT, "", node_name(text, node));
	return 0;
}

static int write_slow_call(const struct function_report *report,
			   const struct slow_call *call, size_t rank, FILE *out)
{
	const struct call_tree *tree = function_study_tree(report->study);
	struct text_tree text = { .report = report, .out = out };
	struct part_tree *parts = part_tree_new(tree, &call->parts, 1);
	int status;

	if (!parts)
		return -ERROR_MEMORY;
	text.tree = parts;
	fprintf(out, "\n%zu. wall_ns %" PRIu64 " at %" PRIu64 ".%09" PRIu64
		" s in %s on CPU %" PRIu32 "\n",
		rank + 1, call->wall_ns, call->begin_ns / 1000000000,
		call->begin_ns % 1000000000,
		task_label_of(report->names, call->tid, call->begin_ns).text,
		call->cpu);
	fprintf(out, "  %12s %12s %12s %8s  function\n", "time_ns", "on_cpu_ns",
		"off_cpu_ns", "calls");
	status = part_tree_walk(tree, weight_of_part,
				(double)call->wall_ns * least_share, write_part,
				&text);
	part_tree_free(parts);
	return status;
}

int function_trees_slow(const struct function_report *report,
			const struct attribution_output *output)
{
	uint64_t most = output->top == UINT64_MAX ? SLOW_CALLS_SHOWN :
						    output->top;
	const struct slow_call *call;
	int status = 0;

	fprintf(output->out, "\nThe slowest calls; parts below %.0f %% of them "
		"are left out\n", least_share * 100);
	for (size_t i = 0; !status && i < most &&
			   (call = function_study_slow(report->study, i)); i++)
		status = write_slow_call(report, call, i, output->out);
	return status;
}

static double difference_of(const struct text_tree *text, uint32_t node)
{
	struct part_line slow = part_tree_line(text->tree, node);
	struct part_line typical = part_tree_line(text->typical, node);

	return whole_time(&slow) - whole_time(&typical);
}

static double weight_of_difference(const void *ctx, uint32_t node)
{
	double difference = difference_of(ctx, node);

	return difference < 0 ? -difference : difference;
}

static int write_difference(void *ctx, uint32_t node, uint32_t depth)
{
	const struct text_tree *text = ctx;
	struct part_line slow = part_tree_line(text->tree, node);
	struct part_line typical = part_tree_line(text->typical, node);

	fprintf(text->out, "  %+13.0f %12.0f %12.0f %12.0f %12.0f  %*s%s\n",
		difference_of(text, node), slow.on_cpu_ns, slow.off_cpu_ns,
		typical.on_cpu_ns, typical.off_cpu_ns,
		(int)depth * NAME_INDENT, "", node_name(text, node));
	return 0;
}

static double mean_time(const struct part_tree *parts,
			const struct call_tree *tree)
{
	uint32_t root = call_tree_first_root(tree);
	struct part_line line = part_tree_line(parts, root);

	return whole_time(&line);
}

int function_trees_comparison(const struct function_report *report, FILE *out)
{
	const struct call_tree *tree = function_study_tree(report->study);
	const struct study_class *slow = report->slow;
	const struct study_class *typical = report->typical;
	struct text_tree text = {
		.report = report,
		.tree = report->slow_tree,
		.typical = report->typical_tree,
		.out = out,
	};
	double whole = mean_time(text.tree, tree) -
		       mean_time(text.typical, tree);

	fprintf(out, "\nSlow calls against typical ones, means of a call\n"
		"  slow: the slowest %" PRIu64 ", %" PRIu64 " to %" PRIu64
		" ns; typical: the %" PRIu64 " around the median, %" PRIu64
		" to %" PRIu64 " ns\n",
		slow->calls, slow->min_ns, slow->max_ns, typical->calls,
		typical->min_ns, typical->max_ns);
	if (slow->min_ns <= typical->min_ns) {
		fputs("  They are the same: the calls take about equally "
		      "long.\n", out);
		return 0;
	}
	fprintf(out, "  %13s %12s %12s %12s %12s  function\n", "difference_ns",
		"slow_on_cpu", "slow_off_cpu", "on_cpu", "off_cpu");
	return part_tree_walk(tree, weight_of_difference,
			      whole * least_difference, write_difference,
			      &text);
}
