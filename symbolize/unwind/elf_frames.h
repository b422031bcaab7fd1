/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_ELF_FRAMES_H
#define KT_SYMBOLIZE_ELF_FRAMES_H

#include <elfutils/libdw.h>
#include <stdint.h>

struct user_elf;

/* The frame descriptions of a file's functions: its .eh_frame, read by libdw.
 */
struct elf_frames;

/* Borrows @elf. Returns NULL when out of memory. A file without .eh_frame, or
 * with a damaged one, yields an object without frames.
 */
struct elf_frames *elf_frames_new(const struct user_elf *elf);
void elf_frames_free(struct elf_frames *frames);

/* Returns the frame description for @address, one of the file's own; NULL if
 * there is none. Valid until the next call.
 */
Dwarf_Frame *elf_frames_at(struct elf_frames *frames, uint64_t address);

#endif
