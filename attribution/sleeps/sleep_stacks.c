/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/sleep_stacks.h"

#include "common/bytes.h"
#include "report/profile/call_tree.h"
#include "symbolize/unwind/user_stack.h"

#include <stdlib.h>

enum { KERNEL_ROOT, USER_ROOT, MAX_USER_FRAMES = 256 };

struct sleep_stacks {
	struct call_tree *tree;
	struct user_stack *user; /* NULL: user stacks are not unwound */
	/* number of refused stacks in the process that wrote the stacks read
	 * here
	 */
	uint64_t refused;
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
	return stacks->refused +
	       (stacks->user ? user_stack_refused(stacks->user) : 0);
}

/* Returns the number of the node that was read, CALL_NODE_NONE if it is
 * invalid.
 */
static uint32_t add_node(struct call_tree *tree, uint32_t parent, uint32_t what,
			 bool is_interrupt)
{
	return parent == CALL_NODE_NONE ?
		       call_tree_root(tree, (int32_t)what) :
		       call_tree_child(tree, parent, what, is_interrupt);
}

/* Writes or reads a node. The function of a root is KERNEL_ROOT or USER_ROOT.
 */
static void pack_node(struct call_tree *tree, struct pack *pack,
		      uint32_t number, uint32_t functions)
{
	struct call_node node = { 0 };
	bool is_interrupt;

	if (!pack->is_reading) {
		node = *call_tree_at(tree, number);
		if (node.parent == CALL_NODE_NONE)
			node.function = (uint32_t)call_tree_pid(tree, number);
	}
	pack_u32(pack, &node.parent);
	pack_u32(pack, &node.function);
	is_interrupt = node.interrupt;
	pack_bool(pack, &is_interrupt);
	pack_check(pack, node.parent == CALL_NODE_NONE ?
				 node.function <= USER_ROOT :
				 node.parent < number);
	pack_check(pack, node.function < functions);
	if (pack->is_reading && !pack->failed)
		pack_check(pack, add_node(tree, node.parent, node.function,
					  is_interrupt) == number);
}

void sleep_stacks_pack(struct sleep_stacks *stacks, struct pack *pack,
		       uint32_t functions)
{
	uint32_t count = call_tree_count(stacks->tree);
	uint64_t refused = sleep_stacks_refused(stacks);

	pack_u64(pack, &refused);
	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++)
		pack_node(stacks->tree, pack, i, functions);
	if (pack->is_reading)
		stacks->refused = refused;
}

const struct call_tree *sleep_stacks_tree(const struct sleep_stacks *stacks)
{
	return stacks->tree;
}
