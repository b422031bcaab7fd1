/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_STACK_COPY_H
#define KT_SYMBOLIZE_STACK_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct arch_frames;
struct sideband_user_state;
struct user_memory;

/* This is what a sample has of its thread: registers and a piece of its stack;
 * beside it, the code of its process.  All are borrowed.
 */
struct stack_copy {
	const struct arch_frames *frames; /* of the recording's arch */
	struct user_memory *memory;	  /* looks at the process */
	const struct sideband_user_state *state;
};

/* Returns whether the sample has register @number, DWARF's, and its *@value. */
bool stack_copy_register(const struct stack_copy *copy, unsigned int number,
			 uint64_t *value);

/* Reads the 8 bytes at @address, of the stack or of code; false unless all are
 * known.
 */
bool stack_copy_read(const struct stack_copy *copy, uint64_t address,
		     uint64_t *value);

#endif
