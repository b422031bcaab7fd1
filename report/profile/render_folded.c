/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_report.h"

#include "common/array.h"
#include "common/error.h"
#include "report/profile/tree_label.h"
#include "report/profile/tree_walk.h"
#include "report/text/name_text.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>

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

static int visit(const struct profile_report *report, uint32_t node,
		 struct array *path, FILE *out)
{
	const struct call_node *about = call_tree_at(report->tree, node);

	if (array_append(path, &node) < 0)
		return -ERROR_MEMORY;
	if (!about->self_ns ||
	    (about->function == FUNCTION_NONE && !report->has_states))
		return 0;
	write_path(report, path, out);
	fprintf(out, " %" PRIu64 "\n", about->self_ns);
	return 0;
}

int render_folded(const struct profile_report *report, FILE *out)
{
	struct tree_walk walk = tree_walk_of(report->tree);
	struct array path = ARRAY_OF(uint32_t);
	int status = 0;

	while (!status && tree_walk_next(&walk)) {
		if (!walk.leaving)
			status = visit(report, walk.node, &path, out);
		else
			path.count--;
	}
	array_free(&path);
	return status;
}
