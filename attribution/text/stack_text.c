/* SPDX-License-Identifier: MIT */
#include "attribution/text/stack_text.h"

#include "report/profile/call_tree.h"
#include "symbolize/functions/function_table.h"

/* The nodes lead inwards to outwards; stacks are no deeper than a kernel's
 * stack has room for, or an unwinder walks.
 */
enum { MAX_DEPTH = 1024 };

void stack_text_write(const struct call_tree *stacks, uint32_t node,
		      const struct function_table *functions, FILE *out)
{
	uint32_t path[MAX_DEPTH];
	size_t depth = 0;

	while (node != CALL_NODE_NONE && depth < MAX_DEPTH) {
		const struct call_node *at = call_tree_at(stacks, node);

		if (at->parent != CALL_NODE_NONE)
			path[depth++] = at->function;
		node = at->parent;
	}
	while (depth--)
		fprintf(out, "%s%s", function_at(functions, path[depth])->name,
			depth ? ";" : "");
}

void stack_text_lines(const struct call_tree *stacks, uint32_t node,
		      const struct function_table *functions, const char *name,
		      FILE *out)
{
	while (node != CALL_NODE_NONE) {
		const struct call_node *at = call_tree_at(stacks, node);

		if (at->parent != CALL_NODE_NONE) {
			fprintf(out, "    %-9s %s\n", name,
				function_at(functions, at->function)->name);
			name = "";
		}
		node = at->parent;
	}
}
