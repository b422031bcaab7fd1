/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_USER_STACK_H
#define KT_SYMBOLIZE_USER_STACK_H

#include <stddef.h>
#include <stdint.h>

struct recording;
struct sideband_record;
struct symbols;

/* Unwinds copies of user stacks, as record --user-stacks makes them, by the
 * unwind information (.eh_frame) of the files that a process had mapped: those
 * of the recording's architecture, whichever this program's is.
 *
 * It reads those files on this machine.  Through code without unwind
 * information (JIT) it goes by frame pointers; where that leads nowhere, and
 * where it leaves its copy, a stack ends early.  Return addresses may be signed
 * (arm64's pointer authentication).
 */
struct user_stack;

/* Borrows both.  Returns NULL when out of memory. */
struct user_stack *user_stack_new(const struct recording *recording,
				  const struct symbols *symbols);
void user_stack_free(struct user_stack *stack);

/* Writes an address in the code of each frame on the stack in sample @record,
 * innermost first, to @addresses; @room of them at most.  The first one is the
 * sample's instruction pointer, the others lie in calls.
 *
 * Returns how many; 0 if the sample has no stack, or that of a 32-bit program.
 */
size_t user_stack_addresses(struct user_stack *stack,
			    const struct sideband_record *record,
			    uint64_t *addresses, size_t room);

/* Like user_stack_addresses(), but writes the functions that have the addresses. */
size_t user_stack_unwind(struct user_stack *stack,
			 const struct sideband_record *record,
			 uint32_t *functions, size_t room);

/* Returns how many stacks were not unwound as they are of 32-bit programs. */
uint64_t user_stack_refused(const struct user_stack *stack);

#endif
