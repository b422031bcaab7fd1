/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_UNWIND_INDEX_H
#define KT_SYMBOLIZE_UNWIND_INDEX_H

#include "common/array.h"

#include <stddef.h>
#include <stdint.h>

/* An entry of .eh_frame_hdr: both relative to the same address. */
struct unwind_index_entry {
	int32_t start;		/* of the code */
	int32_t description;	/* of its frames: in .eh_frame */
};

/* A section .eh_frame of a program of this machine's byte order, as the Linux
 * Standard Base describes it ("DWARF Extensions").
 */
struct unwind_section {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
};

/* Appends an entry for each description of frames in @section to @entries
 * (struct unwind_index_entry), relative to the section's address, and sorts
 * them by code: what the linker leaves out of most static programs.  What is
 * damaged, too far away or encoded otherwise than compilers do is left out;
 * behind a length that is damaged nothing can be found.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int unwind_index_make(const struct unwind_section *section,
		      struct array *entries);

#endif
