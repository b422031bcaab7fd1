/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_BLOCK_H
#define KT_MACHINE_TRUTH_BLOCK_H

#include "machine/qemu/plugin_api.h"
#include "machine/truth/branch.h"

struct truth;

/* A translated block: what must be known of it when it has been left.
 *
 * QEMU translates user code relative to the program counter and shares a
 * block between all the addresses at which its page is mapped, so a block
 * knows its instructions by their offset only.
 */
struct block {
	struct truth *truth; /* borrowed */
	uint64_t start;	     /* where it was translated */
	uint32_t count;	     /* instructions */
	uint32_t size;	     /* bytes */
	struct branch last;  /* what its last instruction is */
	uint16_t offsets[];  /* of each instruction, bytes from the start */
};

/* Describes @tb.  Owned by the caller; lives as long as the code may run. */
struct block *block_new(struct truth *truth, const struct qemu_plugin_tb *tb);

/* The index of the instruction at @offset; block->count if there is none. */
uint32_t block_find(const struct block *block, uint64_t offset);

static inline uint32_t block_last_offset(const struct block *block)
{
	return block->offsets[block->count - 1];
}

#endif
