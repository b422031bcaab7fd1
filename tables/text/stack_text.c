/* SPDX-License-Identifier: MIT */
#include "tables/text/stack_text.h"

#include "attribution/sleeps/sleeps.h"
#include "report/profile/call_tree.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>
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
	return function_text(functions, function_of(tree, node));
}

static size_t count_frames(const struct call_tree *tree, uint32_t node)
{
	size_t count = 0;

	for (; function_of(tree, node) != FUNCTION_NONE;
	     node = parent_of(tree, node))
		count++;
	return count;
}

/* Walks a path from its innermost frame outwards, without the frames that its
 * text leaves out.
 */
struct path_walk {
	const struct call_tree *tree;
	const struct function_table *functions;
	uint32_t node;	 /* of the next frame */
	size_t left_out; /* frames in the middle of the path */
	size_t frames;	 /* number of frames passed so far */
	struct stack_gap gap;
};

static struct path_walk walk_of(const struct call_tree *tree, uint32_t node,
				const struct function_table *functions)
{
	struct path_walk walk = {
		.tree = tree,
		.functions = functions,
		.node = node,
	};

	walk.left_out = stack_left_out(count_frames(tree, node));
	walk.gap = stack_gap_of(walk.left_out);
	return walk;
}

/* Returns the next name of the path, or NULL after the outermost one. */
static const char *next_name(struct path_walk *walk)
{
	const char *name;

	if (walk->frames == STACK_ENDS && walk->left_out) {
		for (; walk->left_out; walk->left_out--)
			walk->node = parent_of(walk->tree, walk->node);
		return walk->gap.text;
	}
	if (function_of(walk->tree, walk->node) == FUNCTION_NONE)
		return NULL;
	name = name_of(walk->tree, walk->node, walk->functions);
	walk->node = parent_of(walk->tree, walk->node);
	walk->frames++;
	return name;
}

static size_t length_of(struct path_walk walk)
{
	size_t length = 0;
	const char *name;

	while ((name = next_name(&walk)))
		length += strlen(name) + 1;
	return length;
}

char *stack_text(const struct call_tree *tree, uint32_t node,
		 const struct function_table *functions)
{
	struct path_walk walk;
	const char *name;
	char *text;
	size_t at;

	if (node == CALL_NODE_NONE)
		return calloc(1, 1);
	walk = walk_of(tree, node, functions);
	at = length_of(walk);
	text = calloc(1, at + 1);
	if (!text)
		return NULL;
	/* From the end backwards: each name with the character after it. */
	for (char end = '\0'; (name = next_name(&walk)); end = ';') {
		text[--at] = end;
		at -= strlen(name);
		for (size_t i = 0; name[i]; i++)
			text[at + i] = stack_text_char(name[i]);
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

uint32_t stack_text_user_part(const struct call_tree *stacks, uint32_t node,
			      const struct function_table *functions)
{
	while (node != CALL_NODE_NONE) {
		const struct call_node *item = call_tree_at(stacks, node);

		if (item->parent == CALL_NODE_NONE)
			break;
		if (item->function < function_count(functions) &&
		    function_at(functions, item->function)->space == 'u')
			return node;
		node = item->parent;
	}
	return CALL_NODE_NONE;
}

void stack_text_lines(const struct call_tree *stacks, uint32_t node,
		      const struct function_table *functions, const char *name,
		      FILE *out)
{
	struct path_walk walk;
	const char *frame;

	if (node == CALL_NODE_NONE)
		return;
	walk = walk_of(stacks, node, functions);
	while ((frame = next_name(&walk))) {
		fprintf(out, "    %-9s ", name);
		name_write(out, NAME_TEXT, frame);
		fputs("\n", out);
		name = "";
	}
}

const char *sleep_label_name(const struct function_table *functions,
			     uint32_t label)
{
	return label == FUNCTION_UNKNOWN ? "[unseen]" :
					   function_at(functions, label)->name;
}

static void write_one(const struct waker *waker,
		      const struct function_table *functions,
		      const struct task_names *names, FILE *out)
{
	if (waker->interrupt != FUNCTION_NONE) {
		fputs("interrupt ", out);
		function_name_write(functions, waker->interrupt, out);
	} else {
		task_label_write_last(names, waker->tid, out);
	}
	if (waker->function != waker->interrupt &&
	    waker->function != FUNCTION_UNKNOWN) {
		fputs(" ", out);
		function_name_write(functions, waker->function, out);
	}
}

static void write_chain(const struct wakers *wakers, uint32_t number,
			uint32_t most, const struct function_table *functions,
			const struct task_names *names, FILE *out)
{
	uint32_t count = 0;

	for (uint32_t i = number; i != WAKER_NONE;
	     i = wakers_at(wakers, i)->earlier)
		if (count++ < most) {
			fputs(i == number ? "" : " < ", out);
			write_one(wakers_at(wakers, i), functions, names, out);
		}
	if (count > most)
		fprintf(out, " < %" PRIu32 " more", count - most);
}

void wakers_write(const struct wakers *wakers, uint32_t number,
		  const struct function_table *functions,
		  const struct task_names *names, FILE *out)
{
	write_chain(wakers, number, UINT32_MAX, functions, names, out);
}

void wakers_write_any(const struct wakers *wakers, uint32_t number,
		      uint32_t most, const struct function_table *functions,
		      const struct task_names *names, FILE *out)
{
	if (number == WAKER_NONE)
		fputs("[unseen]", out);
	else
		write_chain(wakers, number, most, functions, names, out);
}
