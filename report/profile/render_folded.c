/* SPDX-License-Identifier: MIT */
#include "report/profile/call_tree.h"
#include "report/profile/profile_report.h"
#include "report/profile/stack_paths.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>

/* Returns the name of a frame. A root has its process's name without the pid,
 * which differs between recordings.
 */
static const char *name_of(const struct profile_report *report, uint32_t node)
{
	uint32_t function = call_tree_at(report->tree, node)->function;
	int32_t pid = call_tree_pid(report->tree, node);

	if (function != FUNCTION_NONE)
		return function_text(report->functions, function);
	return pid < 0 ? unnamed_tree(report) :
			 task_names_last(report->names, pid);
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
		about->interrupt != CALL_NO_INTERRUPT,
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

/* The arguments of write_stack(). */
struct folded {
	const struct profile_report *report;
	FILE *out;
};

/* Writes the outermost frame of a tree with states: the process, as "ls-137".
 */
static void write_process(const struct folded *folded, int32_t tree)
{
	name_write(folded->out, NAME_FOLDED,
		   tree_label(folded->report, tree).text);
}

static void write_frame(const struct folded *folded, uint32_t function,
			int32_t tree)
{
	enum frame_state state;

	if (frame_state_of(function, &state) && state == FRAME_LEFT_OUT)
		fprintf(folded->out, "[deeper than %d]", DEPTH_DRAWN);
	else
		name_write(folded->out, NAME_FOLDED,
			   tree_function_label(folded->report, function, tree)
				   .text);
}

static int write_stack(void *ctx, const struct stack_path *path)
{
	const struct folded *folded = ctx;
	bool has_process = folded->report->has_states;

	if (!path->self_ns)
		return 0;
	if (has_process)
		write_process(folded, path->tree);
	for (size_t i = 0; i < path->depth && !path->is_outside; i++) {
		fputs(has_process || i ? ";" : "", folded->out);
		write_frame(folded, path->functions[i], path->tree);
	}
	fprintf(folded->out, " %" PRIu64 "\n", path->self_ns);
	return 0;
}

int render_folded(const struct profile_report *report, FILE *out)
{
	struct folded folded = { report, out };

	return stack_paths_visit(report->tree, report->has_states, write_stack,
				 &folded);
}
