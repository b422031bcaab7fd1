/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_BLOCK_H
#define KT_MACHINE_QEMU_BLOCK_H

#include "machine/intel_pt/unit.h"
#include "machine/qemu/plugin_api.h"

#include <stdbool.h>
#include <stdint.h>

/* This is what is known of a translated block: where its instructions are, and
 * the branch that ends it.
 *
 * QEMU translates code once for every address at which a physical page is
 * mapped: only the kernel's own blocks are sure to be where @start says.
 * Offsets are from the start, wherever it is.
 */
struct block {
	uint64_t start;		 /* when it was translated */
	uint32_t last;		 /* offset of the last instruction */
	uint32_t end;		 /* offset of the one after it */
	uint32_t count;		 /* instructions */
	enum pt_branch branch;	 /* of the last instruction */
	bool software_interrupt; /* which is int n, int3, int1 or into */
	bool breakpoint;	 /* which is int3 */
	uint16_t offsets[];	 /* of each instruction */
};

/* Lives as long as translated code may refer to it: to the end of the run. */
struct block *block_new(const struct qemu_plugin_tb *tb);

static inline bool block_is_kernel(const struct block *block)
{
	return block->start >> 63;
}

/* How many instructions of @block come before the one at @offset; its count
 * when there is none.
 */
uint32_t block_index(const struct block *block, uint64_t offset);

#endif
