/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_UNWIND_USER_ELF_INTERNAL_H
#define KT_SYMBOLIZE_UNWIND_USER_ELF_INTERNAL_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The image of a program or shared library: its bytes by the file's own
 * addresses, as in its program headers.
 */
struct user_elf;

/* Reads the program headers of the file at @path. Returns NULL if it cannot be
 * read or is no 64-bit ELF file, or when out of memory.
 */
struct user_elf *user_elf_open(const char *path);
void user_elf_close(struct user_elf *elf);

/* Sets *@address to the file's own address of the byte at @file_offset. Returns
 * false if no segment loads that byte.
 */
bool user_elf_address(const struct user_elf *elf, uint64_t file_offset,
		      uint64_t *address);

/* Copies the @size bytes at @address, one of the file's own, to @bytes. Returns
 * false unless all are in the file.
 */
bool user_elf_read(const struct user_elf *elf, uint64_t address, void *bytes,
		   size_t size);

/* The frame descriptions of a file's functions: its .eh_frame, read by libdw.
 */
struct elf_frames;

/* Borrows @elf. Returns NULL when out of memory. A file without .eh_frame, or
 * with a damaged one, yields an object without frames.
 */
struct elf_frames *elf_frames_new(const struct user_elf *elf);
void elf_frames_free(struct elf_frames *frames);

/* Returns the frame description for @address, one of the file's own; NULL if
 * there is none or when out of memory. Valid until the next call.
 */
Dwarf_Frame *elf_frames_at(struct elf_frames *frames, uint64_t address);

#endif
