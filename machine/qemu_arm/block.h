/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_BLOCK_H
#define KT_MACHINE_QEMU_ARM_BLOCK_H

#include "machine/arm_ete/unit.h"
#include "machine/qemu/plugin_api.h"

#include <stdint.h>

/* This is what is known of a translated block of A64 code: where it is, and the
 * branch that ends it.
 *
 * QEMU translates code once for every address at which a physical page is
 * mapped: only the kernel's own blocks are sure to be where @start says.
 */
struct block {
	uint64_t start; /* when it was translated */
	uint32_t count; /* instructions */
	enum ete_branch branch;
};

enum { A64_INSN_SIZE = 4 };

static inline uint32_t block_size(const struct block *block)
{
	return block->count * A64_INSN_SIZE;
}

/* Lives as long as translated code may refer to it: to the end of the run. */
struct block *block_new(const struct qemu_plugin_tb *tb);

uint32_t block_insn(const struct qemu_plugin_insn *insn);

/* How many instructions of @block come before the one at @offset; its count
 * when there is none.
 */
uint32_t block_index(const struct block *block, uint64_t offset);

#endif
