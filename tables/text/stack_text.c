/* SPDX-License-Identifier: MIT */
#include "tables/text/stack_text.h"

#include "report/profile/call_tree.h"
#include "report/text/function_label.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

static uint32_t function_of(const struct call_tree *tree, uint32_t node)
{
	return call_tree_at(tree, node)->function;
}

static uint32_t parent_of(const struct call_tree *tree, uint32_t node)
{
	return call_tree_at(tree, node)->parent;
}

static const char *name_of(const struct call_tree *tree, uint32_t node,
			   const struct function_table *functions)
{
	return function_at(functions, function_of(tree, node))->name;
}

static size_t length_of(const struct call_tree *tree, uint32_t node,
			const struct function_table *functions)
{
	size_t length = 0;

	for (; function_of(tree, node) != FUNCTION_NONE;
	     node = parent_of(tree, node))
		length += strlen(name_of(tree, node, functions)) + 1;
	return length;
}

char *stack_text(const struct call_tree *tree, uint32_t node,
		 const struct function_table *functions)
{
	size_t at = node == CALL_NODE_NONE ? 0 :
					     length_of(tree, node, functions);
	char *text = calloc(1, at + 1);

	if (!text || !at)
		return text;
	/* From the innermost back: each with what ends it. */
	for (char end = '\0'; function_of(tree, node) != FUNCTION_NONE;
	     node = parent_of(tree, node), end = ';') {
		const char *name = name_of(tree, node, functions);

		text[--at] = end;
		at -= strlen(name);
		memcpy(text + at, name, strlen(name));
	}
	return text;
}

void stack_text_write(const struct call_tree *stacks, uint32_t node,
		      const struct function_table *functions, FILE *out)
{
	char *text = stack_text(stacks, node, functions);

	if (text)
		fputs(text, out);
	free(text);
}

void stack_text_lines(const struct call_tree *stacks, uint32_t node,
		      const struct function_table *functions, const char *name,
		      FILE *out)
{
	while (node != CALL_NODE_NONE) {
		const struct call_node *at = call_tree_at(stacks, node);

		if (at->parent != CALL_NODE_NONE) {
			fprintf(out, "    %-9s ", name);
			function_name_write(functions, at->function, out);
			fputs("\n", out);
			name = "";
		}
		node = at->parent;
	}
}
