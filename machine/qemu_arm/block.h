/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_BLOCK_H
#define KT_MACHINE_QEMU_ARM_BLOCK_H

#include "machine/arm_ete/unit.h"
#include "machine/qemu/plugin_api.h"

#include <stdint.h>

/* A translated block of A64 code: its address and the branch at its end.
 *
 * QEMU translates code once for all addresses at which a physical page is
 * mapped. Only kernel blocks are sure to execute at start.
 */
struct block {
	uint64_t start; /* the address at translation */
	uint32_t count; /* number of instructions */
	enum ete_branch branch;
};

enum { A64_INSN_SIZE = 4 };

static inline uint32_t block_size(const struct block *block)
{
	return block->count * A64_INSN_SIZE;
}

/* Describes @tb. The result is never freed, because translated code may refer
 * to it until the end of the run.
 */
struct block *block_new(const struct qemu_plugin_tb *tb);

uint32_t block_insn(const struct qemu_plugin_insn *insn);

/* Returns the number of instructions of @block before the one at @offset; the
 * count of all instructions if none is at @offset.
 */
uint32_t block_index(const struct block *block, uint64_t offset);

#endif
