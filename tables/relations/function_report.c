/* SPDX-License-Identifier: MIT */
#include "tables/relations/function_report_internal.h"

#include "common/error.h"
#include "report/profile/call_graph.h"
#include "report/profile/call_tree.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/record_writer.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "tables/relations/function_choice_internal.h"
#include "tables/table.h"
#include "tables/text/histogram.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void function_relations_free(struct function_relations *relations)
{
	array_free(&relations->callers);
	array_free(&relations->callees);
}

static bool is_chosen(const struct function_choice *choice,
		      const struct function_profile *profile, uint32_t row)
{
	return row != CALL_GRAPH_NOBODY &&
	       function_choice_has(choice, profile->rows[row].function);
}

static int add_arc(struct array *list, const struct call_arc *arc,
		   uint32_t function)
{
	return array_append(list, &(struct function_relation){
					  .function = function,
					  .is_interrupt = arc->is_interrupt,
					  .calls = arc->calls,
					  .self_ns = arc->self_ns,
					  .total_ns = arc->total_ns,
				  });
}

static int add_arcs(struct function_relations *relations,
		    const struct function_profile *profile,
		    const struct call_graph *graph,
		    const struct function_choice *choice)
{
	int status = 0;

	for (size_t i = 0; i < graph->arc_count && !status; i++) {
		const struct call_arc *arc = &graph->arcs[i];
		uint32_t caller = arc->caller == CALL_GRAPH_NOBODY ?
					  FUNCTION_NONE :
					  profile->rows[arc->caller].function;

		if (is_chosen(choice, profile, arc->callee))
			status = add_arc(&relations->callers, arc, caller);
		if (!status && is_chosen(choice, profile, arc->caller))
			status = add_arc(&relations->callees, arc,
					 profile->rows[arc->callee].function);
	}
	return status;
}

static void add_up(struct function_relations *relations,
		   const struct function_profile *profile,
		   const struct function_choice *choice)
{
	for (uint32_t i = 0; i < profile->row_count; i++) {
		const struct function_row *row = &profile->rows[i];

		if (!is_chosen(choice, profile, i))
			continue;
		call_counts_join(&relations->calls, &row->calls);
		relations->self_ns += row->self_ns;
		relations->total_ns += row->total_ns;
	}
}

static int compare_relations(const void *a, const void *b)
{
	const struct function_relation *x = a;
	const struct function_relation *y = b;
	uint64_t x_calls = call_counts_calls(&x->calls);
	uint64_t y_calls = call_counts_calls(&y->calls);

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	if (x_calls != y_calls)
		return x_calls > y_calls ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

int function_relations_make(const struct call_tree *tree,
			    uint32_t function_count,
			    const struct function_choice *choice,
			    struct function_relations *relations)
{
	struct function_profile profile;
	struct call_graph graph;
	int status = function_profile_make(tree, function_count, &profile);

	*relations = (struct function_relations){
		.callers = ARRAY_OF(struct function_relation),
		.callees = ARRAY_OF(struct function_relation),
	};
	if (status < 0)
		return status;
	status = call_graph_make(tree, &profile, &graph);
	if (!status) {
		add_up(relations, &profile, choice);
		status = add_arcs(relations, &profile, &graph, choice);
		call_graph_free(&graph);
	}
	function_profile_free(&profile);
	if (status < 0) {
		function_relations_free(relations);
		return status;
	}
	array_sort(&relations->callers, compare_relations);
	array_sort(&relations->callees, compare_relations);
	return 0;
}

struct part_tree {
	uint32_t count;
	struct part_line lines[]; /* by node */
};

static void add_below(const struct call_tree *nodes, struct part_tree *tree)
{
	/* Children follow their parents. */
	for (uint32_t i = tree->count; i-- > 0;) {
		uint32_t parent = call_tree_at(nodes, i)->parent;

		if (parent == CALL_NODE_NONE)
			continue;
		tree->lines[parent].on_cpu_ns += tree->lines[i].on_cpu_ns;
		tree->lines[parent].off_cpu_ns += tree->lines[i].off_cpu_ns;
	}
}

struct part_tree *part_tree_new(const struct call_tree *nodes,
				const struct call_parts *parts, uint64_t calls)
{
	uint32_t count = call_tree_count(nodes);
	struct part_tree *tree =
		calloc(1, sizeof(*tree) + count * sizeof(*tree->lines));
	double share = calls ? 1.0 / (double)calls : 0;

	if (!tree)
		return NULL;
	tree->count = count;
	for (size_t i = 0; i < parts->list.count; i++) {
		const struct call_part *part = array_at(&parts->list, i);
		struct part_line *line = &tree->lines[part->node];

		line->calls = (double)part->calls * share;
		line->self_ns = (double)part->on_cpu_ns * share;
		line->on_cpu_ns = line->self_ns;
		line->off_cpu_ns = (double)part->off_cpu_ns * share;
	}
	add_below(nodes, tree);
	return tree;
}

void part_tree_free(struct part_tree *tree)
{
	free(tree);
}

struct part_line part_tree_line(const struct part_tree *tree, uint32_t node)
{
	return tree->lines[node];
}

/* A node yet to be visited. */
struct heavy_node {
	uint32_t node;
	uint32_t depth;
	double weight;
};

struct walk {
	const struct call_tree *tree;
	part_weight *weight;
	double least;
	void *ctx;
	/* struct heavy_node, a stack: the last is the next to visit */
	struct array waiting;
};

/* Sorts by rising weight: the heaviest node is last. */
static int compare_nodes(const void *a, const void *b)
{
	const struct heavy_node *x = a;
	const struct heavy_node *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	return x->node > y->node ? -1 : x->node < y->node;
}

static int add_children(struct walk *walk, uint32_t parent, uint32_t depth)
{
	uint32_t node = call_tree_first_child(walk->tree, parent);
	size_t before = walk->waiting.count;
	struct heavy_node *items;

	for (; node != CALL_NODE_NONE;
	     node = call_tree_next_sibling(walk->tree, node)) {
		double weight = walk->weight(walk->ctx, node);
		const struct heavy_node child = { node, depth, weight };

		if (weight >= walk->least &&
		    array_append(&walk->waiting, &child) < 0)
			return -ERROR_MEMORY;
	}
	items = walk->waiting.items;
	if (walk->waiting.count > before)
		qsort(items + before, walk->waiting.count - before,
		      sizeof(*items), compare_nodes);
	return 0;
}

int part_tree_walk(const struct call_tree *tree, part_weight *weight,
		   double least, part_visit *visit, void *ctx)
{
	struct walk walk = {
		.tree = tree,
		.weight = weight,
		.least = least,
		.ctx = ctx,
		.waiting = ARRAY_OF(struct heavy_node),
	};
	uint32_t root = call_tree_first_root(tree);
	int status = root == CALL_NODE_NONE ? 0 : add_children(&walk, root, 0);

	while (!status && walk.waiting.count) {
		const struct heavy_node *items = walk.waiting.items;
		struct heavy_node next = items[--walk.waiting.count];

		status = visit(ctx, next.node, next.depth);
		if (!status)
			status = add_children(&walk, next.node, next.depth + 1);
	}
	array_free(&walk.waiting);
	return status;
}

enum {
	SLOW_CALLS_SHOWN = 3,
	NAME_INDENT = 2,
};

/* Parts of a slow call below this share are left out. */
static const double least_share = 0.03;

/* Parts of a comparison below this share of the whole difference are left out.
 */
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
	fprintf(out, "\n%zu. %s at %s s in ", rank + 1,
		duration_text_of(call->wall_ns).text,
		moment_text(call->begin_ns, report->origin_ns).text);
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

/* Writes the call trees of the slowest calls. Returns 0 or -ERROR_MEMORY. */
static int function_trees_slow(const struct function_report *report,
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

/* Writes the tree of the difference between slow calls and typical ones.
 * Returns 0 or -ERROR_MEMORY.
 */
static int function_trees_comparison(const struct function_report *report,
				     FILE *out)
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

enum { RELATIONS_SHOWN = 20 };

const char *function_report_time_name(enum study_time time)
{
	switch (time) {
	case STUDY_WALL:
		return "wall_ns";
	case STUDY_ON_CPU:
		return "on_cpu_ns";
	case STUDY_SELF:
		return "self_ns";
	case STUDY_OFF_CPU:
		return "off_cpu_ns";
	case STUDY_TIMES:
		break;
	}
	return "";
}

const char *function_report_relation(const struct function_report *report,
				     const struct function_relation *relation)
{
	if (relation->function == FUNCTION_NONE)
		return "";
	return function_at(report->functions, relation->function)->name;
}

/* Context of a table's fields. */
struct text_table {
	const struct function_report *report;
	const struct array *relations;
	uint64_t all_ns;
};

static void write_relation(struct record_writer *writer, const void *ctx,
			   uint64_t index)
{
	const struct text_table *table = ctx;
	const struct function_relation *relation =
		array_at(table->relations, index);
	const char *name = function_report_relation(table->report, relation);

	record_number(writer, "calls", call_counts_calls(&relation->calls));
	record_number(writer, "starts", relation->calls.starts);
	record_number(writer, "self_ns", relation->self_ns);
	record_number(writer, "total_ns", relation->total_ns);
	record_real(writer, "percent",
		    table->all_ns ? 100.0 * (double)relation->total_ns /
					    (double)table->all_ns :
				    0,
		    1);
	record_text(writer, "how",
		    relation->is_interrupt ? "interrupt" : "call");
	record_text(writer, "function", *name ? name : "(nobody seen)");
}

static void write_relations(const struct function_report *report,
			    const struct attribution_output *output,
			    const char *title, const struct array *relations)
{
	struct record_writer writer =
		record_writer_of(output->out, RECORD_TABLE);
	const struct text_table table = {
		.report = report,
		.relations = relations,
		.all_ns = report->relations->total_ns,
	};
	uint64_t count = relations->count;

	fprintf(output->out, "\n%s, times on a CPU\n\n", title);
	if (!count)
		fputs("  none\n", output->out);
	if (count > RELATIONS_SHOWN && output->top == UINT64_MAX)
		count = RELATIONS_SHOWN;
	if (count > output->top)
		count = output->top;
	record_writer_table(&writer, write_relation, &table, count);
	if (count < relations->count)
		fprintf(output->out, "and %zu more\n",
			relations->count - (size_t)count);
}

static void write_time(struct record_writer *writer, const void *ctx,
		       uint64_t index)
{
	const struct text_table *table = ctx;
	const struct histogram *time =
		function_study_time(table->report->study, index);

	record_text(writer, "time",
		    record_head_of(
			    function_report_time_name((enum study_time)index),
			    INT16_MAX)
			    .lines[1]);
	record_number(writer, "min_ns", time->min);
	record_number(writer, "mean_ns", histogram_mean(time));
	record_number(writer, "median_ns", histogram_quantile(time, 0.5));
	record_number(writer, "p99_ns", histogram_quantile(time, 0.99));
	record_number(writer, "max_ns", time->max);
	record_number(writer, "total_ns", time->total);
}

static void write_head(const struct function_report *report, FILE *out)
{
	const struct call_counts *calls = &report->relations->calls;

	fputs("Function ", out);
	name_write(out, NAME_TEXT, report->name);
	fprintf(out,
		"\n\n  calls %" PRIu64 " (direct %" PRIu64 ", tail %" PRIu64
		", interrupt %" PRIu64 "), starts %" PRIu64
		", inferred %" PRIu64 "\n  on a CPU: self %s, total %s\n",
		call_counts_calls(calls), calls->direct, calls->tail,
		calls->async, calls->starts, calls->inferred,
		duration_text_of(report->relations->self_ns).text,
		duration_text_of(report->relations->total_ns).text);
}

static int write_times(const struct function_report *report, FILE *out)
{
	struct record_writer writer = record_writer_of(out, RECORD_TABLE);
	const struct text_table table = { .report = report };
	const struct histogram *wall =
		function_study_time(report->study, STUDY_WALL);

	fprintf(out,
		"\nTimes of the %" PRIu64
		" calls that were seen from start to end\n\n",
		wall->count);
	if (!wall->count)
		return 0;
	record_writer_table(&writer, write_time, &table, STUDY_TIMES);
	fputs("\nDistribution of wall time\n\n", out);
	return histogram_bars_draw(wall, out);
}

int function_report_text(const struct function_report *report,
			 const struct attribution_output *output)
{
	int status;

	write_head(report, output->out);
	write_relations(report, output, "Callers", &report->relations->callers);
	write_relations(report, output, "Callees", &report->relations->callees);
	status = write_times(report, output->out);
	if (status < 0 ||
	    !function_study_time(report->study, STUDY_WALL)->count)
		return status;
	status = function_trees_slow(report, output);
	return status < 0 ? status :
			    function_trees_comparison(report, output->out);
}
