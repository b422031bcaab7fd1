/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_ELF_UNWIND_RANGES_INTERNAL_H
#define KT_SYMBOLIZE_ELF_UNWIND_RANGES_INTERNAL_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct array;

/* The code that one frame description (FDE) covers: a function, or the part of
 * one that a compiler placed elsewhere.
 */
struct unwind_range {
	uint64_t start; /* in the file's own addresses */
	uint64_t end;
	/* A stack frame exists at the first instruction already, so nothing
	 * calls it: the range is a cold part of another function.
	 */
	bool is_part;
};

/* Appends the ranges that .eh_frame and .debug_frame of @elf describe to
 * @ranges (struct unwind_range). The ranges are in order of address and do not
 * overlap. strip(1) keeps .eh_frame, as programs need it to unwind exceptions.
 *
 * .eh_frame is found by a program header, so files without section headers have
 * ranges, too. Returns 0, even if descriptions are missing or damaged, or
 * -ERROR_MEMORY.
 *
 * Source: Linux Standard Base 5.0, "Exception Frames"; DWARF 5, section 6.4.
 */
int unwind_ranges_read(Elf *elf, struct array *ranges);

#endif
