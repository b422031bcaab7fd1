/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile_report.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/user_mark.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>
#include <stdlib.h>

/* Nodes with a smaller share of their process's time, in percent, are left out.
 */
static const double least_percent = 0.5;

/* A node waiting for output. */
struct branch {
	uint32_t node;
	uint32_t depth;
	uint64_t total_ns;
};

/* The state of writing a call tree as text. */
struct tree_text {
	const struct profile_report *report;
	uint64_t *totals;      /* by node */
	uint64_t process_ns;   /* of the current process */
	uint64_t rows;	       /* number of written rows */
	struct array branches; /* struct branch: a stack */
	FILE *out;
};

/* Sorts ascending, because the last branch is written first. */
static int compare_branches(const void *a, const void *b)
{
	const struct branch *x = a;
	const struct branch *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? -1 : 1;
	return x->node > y->node ? -1 : x->node < y->node;
}

static bool is_shown(const struct tree_text *text, uint64_t total_ns)
{
	return total_ns && (double)total_ns * 100 >=
				   (double)text->process_ns * least_percent;
}

/* Pushes @first and its siblings, if they are large enough. */
static int add_siblings(struct tree_text *text, uint32_t first, uint32_t depth)
{
	const struct call_tree *tree = text->report->tree;
	size_t begin = text->branches.count;
	struct branch *items;

	for (uint32_t node = first; node != CALL_NODE_NONE;
	     node = call_tree_next_sibling(tree, node)) {
		if (!is_shown(text, text->totals[node]))
			continue;
		if (array_append(&text->branches,
				 &(struct branch){ node, depth,
						   text->totals[node] }) < 0)
			return -ERROR_MEMORY;
	}
	items = text->branches.items;
	if (text->branches.count > begin)
		qsort(items + begin, text->branches.count - begin,
		      sizeof(*items), compare_branches);
	return 0;
}

static void write_process(struct tree_text *text, const struct branch *branch)
{
	const struct profile_report *report = text->report;
	const struct colors *colors = report->colors;
	struct group_label label =
		tree_label(report, call_tree_pid(report->tree, branch->node));

	/* As in the other profiles, only the time in functions counts. */
	text->process_ns = branch->total_ns -
			   call_tree_at(report->tree, branch->node)->self_ns;
	fprintf(text->out, "%s%s", text->rows ? "\n" : "", colors->subject);
	name_write(text->out, NAME_TEXT, label.text);
	fprintf(text->out, "%s\n%6s %9s %9s %8s  function\n", colors->plain,
		"time %", "total", "self", "calls");
}

static void write_branch(const struct tree_text *text,
			 const struct branch *branch)
{
	const struct profile_report *report = text->report;
	const struct time_unit *unit = time_unit_of(report->recording);
	const struct call_node *node = call_tree_at(report->tree, branch->node);
	const struct call_counts calls =
		call_tree_calls(report->tree, branch->node);
	double share =
		100.0 * (double)branch->total_ns / (double)text->process_ns;
	const char *color = colors_of_share(report->colors, share);

	fprintf(text->out, "%s%6.2f%s %9s %9s %8" PRIu64 "  %*s%s", color,
		share, *color ? report->colors->plain : "",
		time_unit_text(unit, branch->total_ns).text,
		self_text_of(report, node->self_ns,
			     call_tree_inferred_ns(report->tree, branch->node))
			.text,
		call_counts_calls(&calls) + calls.starts,
		(int)depth_indent(branch->depth - 1) * 2, "",
		depth_mark_of(branch->depth - 1).text);
	fputs(calls.async ? "<interrupt> " : "", text->out);
	name_write(text->out, NAME_TEXT,
		   function_text(report->functions, node->function));
	fprintf(text->out, "%s\n",
		user_mark(function_at(report->functions, node->function)));
}

static int write_all(struct tree_text *text)
{
	const struct call_tree *tree = text->report->tree;
	int status = add_siblings(text, call_tree_first_root(tree), 0);

	while (!status && text->branches.count &&
	       text->rows < text->report->top) {
		const struct branch *items = text->branches.items;
		struct branch branch = items[--text->branches.count];

		if (branch.depth) {
			write_branch(text, &branch);
			text->rows++;
		} else {
			write_process(text, &branch);
		}
		status = add_siblings(text,
				      call_tree_first_child(tree, branch.node),
				      branch.depth + 1);
	}
	return status;
}

int render_calltree_text(const struct profile_report *report, FILE *out)
{
	struct tree_text text = {
		.report = report,
		.totals = call_tree_totals(report->tree),
		.branches = ARRAY_OF(struct branch),
		.out = out,
	};
	int status = -ERROR_MEMORY;

	if (text.totals) {
		render_title(report, "Call tree", out);
		status = write_all(&text);
		fprintf(out,
			"\nLeft out: calls below %.1f %% of their process.\n",
			least_percent);
	}
	array_free(&text.branches);
	free(text.totals);
	return status;
}
