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

/* The whole file, *@size bytes; they live as long as @elf. */
const uint8_t *user_elf_bytes(const struct user_elf *elf, size_t *size);

#endif
