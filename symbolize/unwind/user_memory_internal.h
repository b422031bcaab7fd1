/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_UNWIND_USER_MEMORY_INTERNAL_H
#define KT_SYMBOLIZE_UNWIND_USER_MEMORY_INTERNAL_H

#include "symbolize/unwind/user_elf_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_frames;
struct recording;
struct sideband_user_state;
struct user_elf;
struct user_memory;

/* The known state of a thread at a sample: its registers and a part of its
 * stack, from the sample, and the code of its process. All are borrowed.
 */
struct stack_copy {
	const struct arch_frames *frames; /* of the recording's architecture */
	/* set by user_memory_look() to the sample's process and time */
	struct user_memory *memory;
	const struct sideband_user_state *state;
};

/* Sets *@value to register @number (DWARF's number). Returns false if the
 * sample does not contain it.
 */
bool stack_copy_register(const struct stack_copy *copy, unsigned int number,
			 uint64_t *value);

/* Reads the 8 bytes at @address of the stack, or of files with code. Returns
 * false unless all are known.
 */
bool stack_copy_read(const struct stack_copy *copy, uint64_t address,
		     uint64_t *value);

/* A file as mapped in the process. */
struct user_image {
	const struct user_elf *elf;
	uint64_t shift; /* mapped address minus the file's own address */
	uint64_t start; /* start of the mapping with code */
	uint64_t end;
};

/* Borrows @recording. Returns NULL when out of memory. */
struct user_memory *user_memory_new(const struct recording *recording);
void user_memory_free(struct user_memory *memory);

/* Selects process @pid, as it was at @time_ns, for the functions below. Returns
 * 0 or -ERROR_MEMORY.
 */
int user_memory_look(struct user_memory *memory, int32_t pid, uint64_t time_ns);

/* Finds the file whose code covers @address; returns false if there is none. */
bool user_memory_image(struct user_memory *memory, uint64_t address,
		       struct user_image *image);

/* Copies the @size bytes at @address from a file whose code is mapped in the
 * process; that may be data of the file. Returns false if they are in none.
 */
bool user_memory_read(struct user_memory *memory, uint64_t address, void *bytes,
		      size_t size);

#endif
