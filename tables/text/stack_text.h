/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_STACK_TEXT_H
#define KT_TABLES_STACK_TEXT_H

#include <stdint.h>
#include <stdio.h>

struct call_tree;
struct function_table;

/* Returns the character of a name as paths have it: ";" separates their names, so
 * one within a name, as in Rust's "[T; 4]", is ":".
 */
static inline char stack_text_char(char character)
{
	return character == ';' ? ':' : character;
}

/* Returns the path from below the root of @tree to @node as
 * "outermost;...;innermost", which is "" for CALL_NODE_NONE. The text of a deep
 * path leaves out the middle (report/text/function_label.h).
 *
 * The caller frees it. NULL when out of memory.
 */
char *stack_text(const struct call_tree *tree, uint32_t node,
		 const struct function_table *functions);

/* Writes the text of stack_text() to @out; nothing when out of memory. */
void stack_text_write(const struct call_tree *stacks, uint32_t node,
		      const struct function_table *functions, FILE *out);

/* Writes a path as lines of text, the innermost function first; @name precedes
 * the first line. Writes nothing for CALL_NODE_NONE.
 */
void stack_text_lines(const struct call_tree *stacks, uint32_t node,
		      const struct function_table *functions, const char *name,
		      FILE *out);

#endif
