/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_STACK_WALKER_H
#define KT_SYMBOLIZE_STACK_WALKER_H

#include <stddef.h>
#include <stdint.h>

struct stack_copy;

/* Goes from frame to frame of copied stacks, of any architecture, by what the
 * files that lie in a process say about their code's frames, as libdw reads it.
 */
struct stack_walker;

/* Returns NULL when out of memory. */
struct stack_walker *stack_walker_new(void);

/* Before the files that it saw (struct user_elf) are closed. */
void stack_walker_free(struct stack_walker *walker);

/* Writes an address in the function of each frame, innermost first, to
 * @addresses; @room of them at most, 1 or more.
 *
 * Returns how many; 0 if not even the innermost one is known.
 */
size_t stack_walker_walk(struct stack_walker *walker,
			 const struct stack_copy *copy, uint64_t *addresses,
			 size_t room);

#endif
