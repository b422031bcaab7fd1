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

/* The following functions replace @frame by its caller. They return false if
 * the caller cannot be found; @frame must then not be used any more.
 */

/* Unwinds copies of user stacks, recorded by record --user-stacks, by the
 * unwind information (.eh_frame) of the files that a process had mapped. The
 * recording's architecture may differ from this machine's.
 *
 * It reads the files on this machine. Code without unwind information (JIT) is
 * unwound by frame pointers. A stack ends early where they are invalid and
 * where it exceeds its copy. Return addresses may be signed (arm64's pointer
 * authentication).
 */
struct user_stack;

/* Borrows both arguments. Returns NULL when out of memory. */
struct user_stack *user_stack_new(const struct recording *recording,
				  const struct symbols *symbols);

void user_stack_free(struct user_stack *stack);

/* Writes an address in the code of each frame on the stack in sample @record,
 * innermost first, to @addresses, which has room for @room of them. The first
 * one is the sample's instruction pointer; the others are inside call
 * instructions.
 *
 * Returns their number; 0 if the sample has no stack, or that of a 32-bit
 * program.
 */
size_t user_stack_addresses(struct user_stack *stack,
			    const struct sideband_record *record,
			    uint64_t *addresses, size_t room);

/* Like user_stack_addresses(), but writes the functions at these addresses. */
size_t user_stack_unwind(struct user_stack *stack,
			 const struct sideband_record *record,
			 uint32_t *functions, size_t room);

/* Returns the number of stacks of 32-bit programs, which were not unwound. */
uint64_t user_stack_refused(const struct user_stack *stack);

#endif
