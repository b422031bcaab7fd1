/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_MADE_ELF_FIXTURE_H
#define KT_TESTS_MADE_ELF_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

/* A program of any architecture written by hand: functions with symbols and
 * with unwind information (.eh_frame, without .eh_frame_hdr).
 */
enum {
	MADE_ELF_BYTES = 4096,
	MADE_ELF_BASE = 0x10000, /* the address of its first byte */
	MADE_ELF_FRAMES = 0x100, /* offset of .eh_frame */
	MADE_ELF_NAMES = 0x600,
	MADE_ELF_SYMBOLS = 0x700,
	MADE_ELF_SECTIONS = 0x900,
	MADE_ELF_CODE = 0xb00,
	MADE_ELF_FUNCTION = 0x20, /* bytes of code of each function */
};

struct made_elf {
	uint8_t bytes[MADE_ELF_BYTES];
	size_t frames_size;
	size_t common; /* offset of the last CIE in .eh_frame */
	size_t names_size;
	size_t functions;
};

void made_elf_begin(struct made_elf *elf, uint16_t machine);

/* Adds the CIE of the functions that follow: data alignment -8, code alignment
 * 1, return address in register @link; @program consists of DW_CFA_*
 * instructions.
 */
void made_elf_common(struct made_elf *elf, uint8_t link, const uint8_t *program,
		     size_t size);

/* Adds the next function; @program NULL: it has no FDE. */
void made_elf_function(struct made_elf *elf, const char *name,
		       const uint8_t *program, size_t size);

/* Returns the address of the next function. */
uint64_t made_elf_next(const struct made_elf *elf);

/* Completes the file; more functions may be added afterwards. */
void made_elf_end(struct made_elf *elf);

void made_elf_write(const struct made_elf *elf, const char *path);

#endif
