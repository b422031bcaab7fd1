/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_TEXT_STACK_TEXT_H
#define KT_TABLES_TEXT_STACK_TEXT_H

/* Stacks and chains of wakers as text, in the one form that all tables, exports
 * and SQL use, so that they can be compared and joined by text.
 *
 *	stack    outermost;...;innermost
 *	wakers   last waker < the waker that had woken it < …
 *
 * 1. A name never contains ";": stack_text_char() replaces it.
 * 2. Functions that the trace does not show are "[unseen]".
 */

#include <stdint.h>
#include <stdio.h>

struct call_tree;
struct function_table;
struct task_names;
struct wakers;

/* Returns the character to write for a name's @character. ";" separates the
 * names of a path, so in a name, such as Rust's "[T; 4]", it is replaced by
 * ":".
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

/* Returns the node of the innermost user function among @node and its callers
 * in @stacks; CALL_NODE_NONE if there is none.
 */
uint32_t stack_text_user_part(const struct call_tree *stacks, uint32_t node,
			      const struct function_table *functions);

/* Writes a path as lines of text, the innermost function first; @name precedes
 * the first line. Writes nothing for CALL_NODE_NONE.
 */
void stack_text_lines(const struct call_tree *stacks, uint32_t node,
		      const struct function_table *functions, const char *name,
		      FILE *out);

/* Returns the name of the function at which a thread slept, "[unseen]" if it is
 * untraced.
 */
const char *sleep_label_name(const struct function_table *functions,
			     uint32_t label);

/* Writes a chain as text, the last waker first: "cat-12 pipe_write < interrupt
 * vring_interrupt blk_done_softirq".
 *
 * Tasks have their last names in @names.
 */
void wakers_write(const struct wakers *wakers, uint32_t number,
		  const struct function_table *functions,
		  const struct task_names *names, FILE *out);

/* Like wakers_write(), but writes at most @most wakers, "cat-12 pipe_write < 30
 * more"; WAKER_NONE is "[unseen]".
 */
void wakers_write_any(const struct wakers *wakers, uint32_t number,
		      uint32_t most, const struct function_table *functions,
		      const struct task_names *names, FILE *out);

#endif
