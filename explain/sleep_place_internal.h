/* SPDX-License-Identifier: MIT */
#ifndef KT_EXPLAIN_SLEEP_PLACE_INTERNAL_H
#define KT_EXPLAIN_SLEEP_PLACE_INTERNAL_H

#include "explain/lives_internal.h"

struct call_tree;
struct function_table;
struct path_frame;

/* The place in the program where a thread fell asleep, and whether a futex is a
 * lock, which the libraries' functions in between show.
 */

/* Sets both of @sleep by @stack, a node of @tree, which has a stack that was
 * copied at the start of the system call.
 */
void sleep_place_by_stack(struct life_sleep *sleep,
			  const struct function_table *functions,
			  const struct call_tree *tree, uint32_t stack);

/* Sets both of @sleep, except its offset, by the @count open functions of the
 * thread at @frames, outermost first. Returns the return address of the call in
 * the program; 0: unknown.
 */
uint64_t sleep_place_by_frames(struct life_sleep *sleep,
			       const struct function_table *functions,
			       const struct path_frame *frames, size_t count);

#endif
