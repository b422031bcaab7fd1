/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/block.h"
#include "machine/qemu_arm/a64.h"

uint32_t block_insn(const struct qemu_plugin_insn *insn)
{
	uint32_t bits = 0;

	qemu_plugin_insn_data(insn, &bits, sizeof(bits));
	return bits;
}

struct block *block_new(const struct qemu_plugin_tb *tb)
{
	struct block *block = g_new0(struct block, 1);

	block->start = qemu_plugin_tb_vaddr(tb);
	block->count = (uint32_t)qemu_plugin_tb_n_insns(tb);
	block->branch = a64_branch(
		block_insn(qemu_plugin_tb_get_insn(tb, block->count - 1)));
	return block;
}

uint32_t block_index(const struct block *block, uint64_t offset)
{
	return offset < block_size(block) ? (uint32_t)offset / A64_INSN_SIZE :
					    block->count;
}
