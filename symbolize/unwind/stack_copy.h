/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_STACK_COPY_H
#define KT_SYMBOLIZE_STACK_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct arch_frames;
struct sideband_user_state;
struct user_memory;

/* The data of a sample about its thread: registers and a part of its stack; and
 * the code of its process. All are borrowed.
 */
struct stack_copy {
	const struct arch_frames *frames; /* of the recording's architecture */
	struct user_memory *memory;	  /* set to the process */
	const struct sideband_user_state *state;
};

/* Returns whether the sample contains register @number (DWARF's), and sets
 * *@value.
 */
bool stack_copy_register(const struct stack_copy *copy, unsigned int number,
			 uint64_t *value);

/* Reads the 8 bytes at @address, in the stack or in code. Returns false unless
 * all are known.
 */
bool stack_copy_read(const struct stack_copy *copy, uint64_t address,
		     uint64_t *value);

#endif
