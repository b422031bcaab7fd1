/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_BLOCK_H
#define KT_MACHINE_TRUTH_BLOCK_H

#include "machine/qemu/plugin_api.h"
#include "machine/truth/branch.h"

struct truth;

/* The properties of a translated block that are needed after it was left.
 *
 * QEMU translates user code relative to the program counter and shares a
 * block between all addresses at which its page is mapped, so a block
 * knows its instructions by their offset only.
 */
struct block {
	struct truth *truth; /* borrowed */
	uint64_t start;	     /* address at which it was translated */
	uint32_t count;	     /* instructions */
	uint32_t size;	     /* bytes */
	struct branch last;  /* its last instruction */
	uint16_t offsets[];  /* of each instruction, bytes from the start */
};

/* Creates a description of @tb.  The caller owns it, and must keep it as long as
 * the code may run.
 */
struct block *block_new(struct truth *truth, const struct qemu_plugin_tb *tb);

/* Returns the index of the instruction at @offset; block->count if there is none.
 */
uint32_t block_find(const struct block *block, uint64_t offset);

static inline uint32_t block_last_offset(const struct block *block)
{
	return block->offsets[block->count - 1];
}

#endif
