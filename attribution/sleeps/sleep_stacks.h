/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SLEEP_STACKS_H
#define KT_ATTRIBUTION_SLEEP_STACKS_H

/* The stacks of sleeping tasks, in one tree of call paths: of the kernel, from
 * the open functions, and of user space, unwound from copies of the user's
 * stack.
 *
 * 1. Equal stacks are one node, so that memory depends on the different stacks.
 * 2. A node keeps its number, also in another struct sleep_stacks that
 *    sleep_stacks_pack() has read: records of sleeps may store it.
 * 3. A stack that cannot be unwound is CALL_NODE_NONE, never a guess.
 *
 * One thread. Errors: lack of memory is CALL_NODE_NONE too, or NULL.
 */

#include "attribution/time/wait_channels.h"

#include <stddef.h>
#include <stdint.h>

struct call_tree;
struct pack;
struct sideband_record;
struct user_stack;

/* Stacks of sleeping tasks, kernel and user. Equal stacks share one node. */
struct sleep_stacks;

/* Returns a tree without stacks; NULL when out of memory. */
struct sleep_stacks *sleep_stacks_new(void);
void sleep_stacks_free(struct sleep_stacks *stacks);

/* Makes @user unwind user stacks from now on, and owns it. Frees the previous
 * one. NULL: user stacks are not unwound.
 */
void sleep_stacks_unwind(struct sleep_stacks *stacks, struct user_stack *user);

/* Returns the node of the innermost of the @count functions; CALL_NODE_NONE
 * when out of memory.
 */
uint32_t sleep_stacks_kernel(struct sleep_stacks *stacks,
			     const struct path_frame *frames, size_t count);

/* Like sleep_stacks_kernel(), but for the user stack in the sample @record.
 * Also returns CALL_NODE_NONE if the sample has no user stack, or one that
 * cannot be unwound.
 */
uint32_t sleep_stacks_user(struct sleep_stacks *stacks,
			   const struct sideband_record *record);

/* Returns the number of user stacks of 32-bit programs, which are not unwound.
 */
uint64_t sleep_stacks_refused(const struct sleep_stacks *stacks);

/* Writes all stacks, or reads them into @stacks, which must be empty, with the
 * same numbers. Function numbers must be below @functions.
 */
void sleep_stacks_pack(struct sleep_stacks *stacks, struct pack *pack,
		       uint32_t functions);

const struct call_tree *sleep_stacks_tree(const struct sleep_stacks *stacks);

#endif
