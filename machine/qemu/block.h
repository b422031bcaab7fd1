/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_BLOCK_H
#define KT_MACHINE_QEMU_BLOCK_H

#include "machine/intel_pt/unit.h"
#include "machine/qemu/plugin_api.h"

#include <stdbool.h>
#include <stdint.h>

/* A translated block: the offsets of its instructions and the branch at its
 * end.
 *
 * QEMU translates code once for all addresses at which a physical page is
 * mapped. Only kernel blocks are sure to execute at start. Offsets are relative
 * to the block's start, wherever it is.
 */
struct block {
	uint64_t start;	       /* the address at translation */
	uint32_t last;	       /* offset of the last instruction */
	uint32_t end;	       /* offset of the byte after it */
	uint32_t count;	       /* number of instructions */
	enum pt_branch branch; /* kind of the last instruction */
	/* the last instruction is int n, int3, int1 or into */
	bool software_interrupt;
	bool breakpoint;     /* the last instruction is int3 */
	bool enters_machine; /* the last instruction is vmrun */
	uint16_t offsets[];  /* of each instruction */
};

/* Describes @tb. The result is never freed, because translated code may refer
 * to it until the end of the run.
 */
struct block *block_new(const struct qemu_plugin_tb *tb);

static inline bool block_is_kernel(const struct block *block)
{
	return block->start >> 63;
}

/* Returns the number of instructions of @block before the one at @offset; the
 * count of all instructions if none is at @offset.
 */
uint32_t block_index(const struct block *block, uint64_t offset);

#endif
