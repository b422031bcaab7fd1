/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_USER_ELF_H
#define KT_SYMBOLIZE_USER_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A program or shared library as it lies in memory: its bytes by its own
 * addresses, before it is moved to where a process has it.
 */
struct user_elf;

/* Reads the program headers of the file at @path.  Returns NULL if it cannot
 * be read, is no ELF file of 64 bits, or when out of memory.
 */
struct user_elf *user_elf_open(const char *path);
void user_elf_close(struct user_elf *elf);

/* Returns the file's own address of what lies @file_offset into it; false if
 * it is not loaded.
 */
bool user_elf_address(const struct user_elf *elf, uint64_t file_offset,
		      uint64_t *address);

/* Copies the @size bytes at @address; false unless all are in the file. */
bool user_elf_read(const struct user_elf *elf, uint64_t address, void *bytes,
		   size_t size);

/* Where the file's table of unwind information is: .eh_frame_hdr, as the
 * Linux Standard Base describes it ("DWARF Extensions"); of a file without it,
 * one made of its .eh_frame, which user_elf_read() reads like the file's bytes.
 */
struct unwind_table {
	uint64_t header;	/* the address that entries are relative to */
	uint64_t entries;	/* of the first; perhaps none of memory */
	uint64_t entry_count;	/* of 8 bytes each */
};

/* Returns false if the file has none that can be searched. */
bool user_elf_unwind_table(const struct user_elf *elf,
			   struct unwind_table *table);

#endif
