/* SPDX-License-Identifier: MIT */
#include "attribution/text/path_text.h"

#include "report/profile/call_tree.h"
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

char *path_text(const struct call_tree *tree, uint32_t node,
		const struct function_table *functions)
{
	size_t at = length_of(tree, node, functions);
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
