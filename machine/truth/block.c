/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/truth/block.h"

enum { LONGEST_INSTRUCTION = 15 };

static struct branch classify(const struct qemu_plugin_insn *insn)
{
	uint8_t bytes[LONGEST_INSTRUCTION];
	size_t size = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));

	return branch_classify(bytes, size);
}

struct block *block_new(struct truth *truth, const struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	struct block *block;
	struct qemu_plugin_insn *insn = NULL;

	block = g_malloc0(sizeof(*block) + count * sizeof(block->offsets[0]));
	block->truth = truth;
	block->start = qemu_plugin_tb_vaddr(tb);
	block->count = count;
	for (size_t i = 0; i < count; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		block->offsets[i] = block->size;
		block->size += qemu_plugin_insn_size(insn);
	}
	block->last = classify(insn);
	return block;
}

uint32_t block_find(const struct block *block, uint64_t offset)
{
	uint32_t i = 0;

	while (i < block->count && block->offsets[i] != offset)
		i++;
	return i;
}
