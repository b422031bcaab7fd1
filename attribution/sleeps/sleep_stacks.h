/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SLEEP_STACKS_H
#define KT_ATTRIBUTION_SLEEP_STACKS_H

#include "attribution/time/task_paths.h"

#include <stddef.h>
#include <stdint.h>

struct call_tree;
struct pack;
struct sideband_record;
struct user_stack;

/* Stacks of sleeping tasks, kernel and user: equal ones are one node. */
struct sleep_stacks;

/* Returns NULL when out of memory. */
struct sleep_stacks *sleep_stacks_new(void);
void sleep_stacks_free(struct sleep_stacks *stacks);

/* @user unwinds user stacks from now on; NULL: there are none.  Owner: the
 * stacks, which have at most one.
 */
void sleep_stacks_unwind(struct sleep_stacks *stacks, struct user_stack *user);

/* Returns the node of the innermost of the @count functions; CALL_NODE_NONE
 * when out of memory.
 */
uint32_t sleep_stacks_kernel(struct sleep_stacks *stacks,
			     const struct path_frame *frames, size_t count);

/* The same of the user stack in sample @record; CALL_NODE_NONE also if it has
 * none, or none that can be unwound.
 */
uint32_t sleep_stacks_user(struct sleep_stacks *stacks,
			   const struct sideband_record *record);

/* Returns how many user stacks were of 32-bit programs, which are not unwound.
 */
uint64_t sleep_stacks_refused(const struct sleep_stacks *stacks);

/* Writes all stacks, or adds those that it reads to @stacks, which has none: with
 * their numbers.  There are @functions functions.
 */
void sleep_stacks_pack(struct sleep_stacks *stacks, struct pack *pack,
		       uint32_t functions);

const struct call_tree *sleep_stacks_tree(const struct sleep_stacks *stacks);

#endif
