/* SPDX-License-Identifier: MIT */
#include "tables/relations/function_trees.h"

#include "common/error.h"
#include "report/profile/call_tree.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "tables/relations/function_report.h"
#include "tables/relations/part_tree.h"
#include "tables/table.h"

#include <inttypes.h>

enum {
	SLOW_CALLS_SHOWN = 3,
	NAME_INDENT = 2,
};

/* Parts of a slow call below this share are left out. */
static const double least_share = 0.03;
/* Likewise for parts of a difference. */
static const double least_difference = 0.05;

/* A tree in text, of one call or of a comparison. */
struct text_tree {
	const struct function_report *report;
	const struct part_tree *tree;
	const struct part_tree *typical; /* NULL for one call */
	FILE *out;
};

/* Ends the line of @node, which is @depth calls below the tree's root. */
static void write_name(const struct text_tree *text, uint32_t node,
		       uint32_t depth)
{
	const struct call_tree *tree = function_study_tree(text->report->study);
	uint32_t function = call_tree_at(tree, node)->function;

	fprintf(text->out, "  %*s%s", (int)depth_indent(depth) * NAME_INDENT,
		"", depth_mark_of(depth).text);
	function_name_write(text->report->functions, function, text->out);
	fputs("\n", text->out);
}

static double whole_time(const struct part_line *line)
{
	return line->on_cpu_ns + line->off_cpu_ns;
}

/* Rounds: means are not whole numbers. */
static struct duration_text time_text(double time_ns)
{
	return duration_text_of((uint64_t)(time_ns + 0.5));
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

	fprintf(text->out, "  %8s %8s %8s %7.0f",
		time_text(whole_time(&line)).text,
		time_text(line.on_cpu_ns).text, time_text(line.off_cpu_ns).text,
		line.calls);
	write_name(text, node, depth);
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
	fprintf(out, "\n%zu. %s at %" PRIu64 ".%09" PRIu64 " s in ", rank + 1,
		duration_text_of(call->wall_ns).text,
		call->begin_ns / 1000000000, call->begin_ns % 1000000000);
	task_label_write(report->names, call->tid, call->begin_ns, out);
	fprintf(out, " on CPU %" PRIu32 "\n", call->cpu);
	fprintf(out, "  %8s %8s %8s %7s  function\n", "time", "on CPU",
		"off CPU", "calls");
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

	fprintf(output->out,
		"\nThe slowest calls; parts below %.0f %% of them "
		"are left out\n",
		least_share * 100);
	for (size_t i = 0; !status && i < most &&
			   (call = function_study_slow(report->study, i));
	     i++)
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

static struct signed_text {
	char text[40];
} signed_text(double time_ns)
{
	struct signed_text text;

	snprintf(text.text, sizeof(text.text), "%c%s", time_ns < 0 ? '-' : '+',
		 time_text(time_ns < 0 ? -time_ns : time_ns).text);
	return text;
}

static int write_difference(void *ctx, uint32_t node, uint32_t depth)
{
	const struct text_tree *text = ctx;
	struct part_line slow = part_tree_line(text->tree, node);
	struct part_line typical = part_tree_line(text->typical, node);

	fprintf(text->out, "  %9s %8s %8s %8s %8s",
		signed_text(difference_of(text, node)).text,
		time_text(slow.on_cpu_ns).text, time_text(slow.off_cpu_ns).text,
		time_text(typical.on_cpu_ns).text,
		time_text(typical.off_cpu_ns).text);
	write_name(text, node, depth);
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
	double whole =
		mean_time(text.tree, tree) - mean_time(text.typical, tree);

	fprintf(out,
		"\nSlow calls against typical ones, means of a call\n"
		"  slow: the slowest %" PRIu64
		", %s to %s; typical: the %" PRIu64
		" around the median, %s to %s\n",
		slow->calls, duration_text_of(slow->min_ns).text,
		duration_text_of(slow->max_ns).text, typical->calls,
		duration_text_of(typical->min_ns).text,
		duration_text_of(typical->max_ns).text);
	if (function_study_nested(report->study))
		fprintf(out,
			"  Left out: %" PRIu64
			" calls nested in more than %d others of it.\n",
			function_study_nested(report->study), STUDY_NESTED - 1);
	if (slow->min_ns <= typical->min_ns) {
		fputs("  They are the same: the calls take about equally "
		      "long.\n",
		      out);
		return 0;
	}
	fprintf(out, "  %9s %17s %17s\n  %9s %8s %8s %8s %8s  function\n", "",
		"slow", "typical", "more", "on CPU", "off CPU", "on CPU",
		"off CPU");
	return part_tree_walk(tree, weight_of_difference,
			      whole * least_difference, write_difference,
			      &text);
}
