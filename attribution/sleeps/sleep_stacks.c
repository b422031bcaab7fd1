/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/sleep_stacks.h"

#include "report/profile/call_tree.h"
#include "symbolize/unwind/user_stack.h"

#include <stdlib.h>

enum { KERNEL_ROOT, USER_ROOT, MAX_USER_FRAMES = 256 };

struct sleep_stacks {
	struct call_tree *tree;
	struct user_stack *user; /* NULL: there are none */
};

struct sleep_stacks *sleep_stacks_new(void)
{
	struct sleep_stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->tree = call_tree_new();
	if (stacks->tree)
		return stacks;
	sleep_stacks_free(stacks);
	return NULL;
}

void sleep_stacks_free(struct sleep_stacks *stacks)
{
	if (!stacks)
		return;
	call_tree_free(stacks->tree);
	user_stack_free(stacks->user);
	free(stacks);
}

void sleep_stacks_unwind(struct sleep_stacks *stacks, struct user_stack *user)
{
	user_stack_free(stacks->user);
	stacks->user = user;
}

uint32_t sleep_stacks_kernel(struct sleep_stacks *stacks,
			     const struct path_frame *frames, size_t count)
{
	uint32_t node = call_tree_root(stacks->tree, KERNEL_ROOT);

	for (size_t i = 0; i < count && node != CALL_NODE_NONE; i++)
		node = call_tree_child(stacks->tree, node, frames[i].function,
				       frames[i].how == HOW_EXCEPTION);
	return node;
}

uint32_t sleep_stacks_user(struct sleep_stacks *stacks,
			   const struct sideband_record *record)
{
	uint32_t functions[MAX_USER_FRAMES];
	size_t count = stacks->user ?
			       user_stack_unwind(stacks->user, record,
						 functions, MAX_USER_FRAMES) :
			       0;
	uint32_t node;

	if (!count)
		return CALL_NODE_NONE;
	node = call_tree_root(stacks->tree, USER_ROOT);
	while (count && node != CALL_NODE_NONE)
		node = call_tree_child(stacks->tree, node, functions[--count],
				       false);
	return node;
}

uint64_t sleep_stacks_refused(const struct sleep_stacks *stacks)
{
	return stacks->user ? user_stack_refused(stacks->user) : 0;
}

const struct call_tree *sleep_stacks_tree(const struct sleep_stacks *stacks)
{
	return stacks->tree;
}
