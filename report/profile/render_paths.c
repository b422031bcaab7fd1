/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_report.h"

#include "report/profile/tree_walk.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>

/* A root has its process's name, because pids differ between recordings. */
static const char *name_of(const struct profile_report *report, uint32_t node)
{
	uint32_t function = call_tree_at(report->tree, node)->function;
	int32_t pid = call_tree_pid(report->tree, node);

	if (function != FUNCTION_NONE)
		return function_text(report->functions, function);
	return pid < 0 ? "all" : task_names_last(report->names, pid);
}

static void write_node(const struct profile_report *report, uint32_t node,
		       uint32_t depth, FILE *out)
{
	const struct call_node *about = call_tree_at(report->tree, node);
	const struct call_counts calls = call_tree_calls(report->tree, node);
	bool is_root = about->function == FUNCTION_NONE;

	fprintf(out, "%" PRIu32 ",\"", depth);
	name_write(out, NAME_CSV, name_of(report, node));
	fprintf(out, "\",%d,%" PRIu64 ",%" PRIu64 "\n",
		(int)about->is_interrupt,
		call_counts_calls(&calls) + calls.starts,
		is_root ? 0 : about->self_ns);
}

int render_paths(const struct profile_report *report, FILE *out)
{
	struct tree_walk walk = tree_walk_of(report->tree);
	uint32_t depth = 0;

	fputs("depth,name,interrupt,calls,self_ns\n", out);
	while (tree_walk_next(&walk)) {
		if (walk.leaving)
			depth--;
		else
			write_node(report, walk.node, depth++, out);
	}
	return 0;
}
