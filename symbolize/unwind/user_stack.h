/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_UNWIND_USER_STACK_H
#define KT_SYMBOLIZE_UNWIND_USER_STACK_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct recording;
struct sideband_record;
struct symbols;

enum { FRAME_REGISTERS = 33 }; /* the maximum of all architectures */

/* Unwinds copies of user stacks (record --user-stacks) with the unwind
 * information (.eh_frame) of the files that a process had mapped. The
 * recording's architecture may differ from this machine's.
 *
 * The files are read on this machine. Code without unwind information (JIT) is
 * unwound by frame pointers. The result ends early where frame pointers are
 * invalid, and where the copy of the stack ends. Return addresses may be signed
 * (arm64's pointer authentication).
 */
struct user_stack;

/* Borrows both arguments. Returns NULL when out of memory. */
struct user_stack *user_stack_new(const struct recording *recording,
				  const struct symbols *symbols);

void user_stack_free(struct user_stack *stack);

/* Writes an address in the function of each frame on the stack in sample
 * @record, innermost first, to @addresses, at most @room of them. Each is the
 * byte before the address where the frame's code continues, so inside its call
 * or system call, unless a signal interrupted the frame there.
 *
 * Returns their number; 0 if the sample has no user registers, if
 * user_stack_refused() counts it, or when out of memory.
 */
size_t user_stack_addresses(struct user_stack *stack,
			    const struct sideband_record *record,
			    uint64_t *addresses, size_t room);

/* Like user_stack_addresses(), but writes the numbers of the functions at these
 * addresses, at most 256.
 */
size_t user_stack_unwind(struct user_stack *stack,
			 const struct sideband_record *record,
			 uint32_t *functions, size_t room);

/* Returns the number of stacks that could not be unwound because they are of
 * 32-bit programs or of an architecture without support.
 */
uint64_t user_stack_refused(const struct user_stack *stack);

#endif
