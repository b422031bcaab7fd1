/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_STACK_WALKER_H
#define KT_SYMBOLIZE_STACK_WALKER_H

#include <stddef.h>
#include <stdint.h>

struct stack_copy;

/* Unwinds copied stacks, of any architecture, by the unwind information of the
 * files mapped in a process, read with libdw.
 */
struct stack_walker;

/* Returns NULL when out of memory. */
struct stack_walker *stack_walker_new(void);

/* Must be called before the files that it used (struct user_elf) are closed. */
void stack_walker_free(struct stack_walker *walker);

/* Writes an address in the function of each frame, innermost first, to
 * @addresses, which has room for @room of them (1 or more).
 *
 * Returns their number; 0 if not even the innermost one is known.
 */
size_t stack_walker_walk(struct stack_walker *walker,
			 const struct stack_copy *copy, uint64_t *addresses,
			 size_t room);

#endif
