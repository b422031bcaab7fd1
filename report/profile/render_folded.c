/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile_report.h"
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

/* A root is written as "ls-137" if frames are processes. */
static void write_frame(const struct profile_report *report, uint32_t node,
			FILE *out)
{
	uint32_t function = call_tree_at(report->tree, node)->function;
	int32_t pid = call_tree_pid(report->tree, node);
	struct function_label label;

	if (function == FUNCTION_NONE) {
		name_write(out, NAME_FOLDED, tree_label(report, pid).text);
		return;
	}
	label = tree_function_label(report, function, pid);
	name_write(out, NAME_FOLDED, label.text);
}

/* Writes the names of @path from the root on. */
static void write_path(const struct profile_report *report,
		       const struct array *path, FILE *out)
{
	bool is_first = true;

	for (size_t i = 0; i < path->count; i++) {
		const uint32_t *node = array_at(path, i);
		const struct call_node *about =
			call_tree_at(report->tree, *node);

		if (about->function == FUNCTION_NONE && !report->has_states)
			continue;
		fputs(is_first ? "" : ";", out);
		write_frame(report, *node, out);
		is_first = false;
	}
}

static void end_line(uint64_t self_ns, FILE *out)
{
	fprintf(out, " %" PRIu64 "\n", self_ns);
}

/* Folded stacks on their way out. */
struct folded {
	const struct profile_report *report;
	struct array path; /* uint32_t: the nodes that are open */
	FILE *out;
	/* Of the open path of DEPTH_DRAWN nodes, all that is deeper. */
	struct array deep_functions; /* uint32_t */
	struct number_map deep_ns;   /* by function */
};

/* Paths deeper than DEPTH_DRAWN are summed by the function that they end with. */
static int add_deep(struct folded *folded, const struct call_node *node)
{
	uint64_t *sum_ns = number_map_find(&folded->deep_ns, node->function);

	if (!sum_ns &&
	    array_append(&folded->deep_functions, &node->function) < 0)
		return -ERROR_MEMORY;
	sum_ns = number_map_add(&folded->deep_ns, node->function);
	if (!sum_ns)
		return -ERROR_MEMORY;
	*sum_ns += node->self_ns;
	return 0;
}

static void write_deep(struct folded *folded, uint32_t function)
{
	const struct profile_report *report = folded->report;
	const uint32_t *root = array_at(&folded->path, 0);
	const struct function_label label = tree_function_label(
		report, function, call_tree_pid(report->tree, *root));
	const uint64_t *sum_ns = number_map_find(&folded->deep_ns, function);

	write_path(report, &folded->path, folded->out);
	fprintf(folded->out, ";[deeper than %d];", DEPTH_DRAWN);
	name_write(folded->out, NAME_FOLDED, label.text);
	end_line(*sum_ns, folded->out);
}

/* The last of DEPTH_DRAWN open nodes is left. */
static void end_deep(struct folded *folded)
{
	const uint32_t *functions = folded->deep_functions.items;

	for (size_t i = 0; i < folded->deep_functions.count; i++)
		write_deep(folded, functions[i]);
	folded->deep_functions.count = 0;
	number_map_free(&folded->deep_ns);
}

static int visit(struct folded *folded, uint32_t node)
{
	const struct profile_report *report = folded->report;
	const struct call_node *about = call_tree_at(report->tree, node);

	if (array_append(&folded->path, &node) < 0)
		return -ERROR_MEMORY;
	if (!about->self_ns ||
	    (about->function == FUNCTION_NONE && !report->has_states))
		return 0;
	if (folded->path.count > DEPTH_DRAWN)
		return add_deep(folded, about);
	write_path(report, &folded->path, folded->out);
	end_line(about->self_ns, folded->out);
	return 0;
}

int render_folded(const struct profile_report *report, FILE *out)
{
	struct tree_walk walk = tree_walk_of(report->tree);
	struct folded folded = {
		.report = report,
		.path = ARRAY_OF(uint32_t),
		.out = out,
		.deep_functions = ARRAY_OF(uint32_t),
	};
	int status = 0;

	while (!status && tree_walk_next(&walk)) {
		if (!walk.leaving) {
			status = visit(&folded, walk.node);
			continue;
		}
		if (folded.path.count == DEPTH_DRAWN)
			end_deep(&folded);
		folded.path.count--;
	}
	number_map_free(&folded.deep_ns);
	array_free(&folded.deep_functions);
	array_free(&folded.path);
	return status;
}
