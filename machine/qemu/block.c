/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/block.h"
#include "machine/qemu/x86_branch.h"

enum { X86_INSN_MAX = 15 };

static struct qemu_plugin_insn *last_insn(const struct qemu_plugin_tb *tb)
{
	return qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1);
}

struct block *block_new(const struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	struct block *block =
		g_malloc0(sizeof(*block) + count * sizeof(block->offsets[0]));
	const struct qemu_plugin_insn *last = last_insn(tb);
	uint8_t bytes[X86_INSN_MAX];
	size_t size = qemu_plugin_insn_data(last, bytes, sizeof(bytes));

	block->start = qemu_plugin_tb_vaddr(tb);
	block->last = (uint32_t)(qemu_plugin_insn_vaddr(last) - block->start);
	block->end = block->last + (uint32_t)qemu_plugin_insn_size(last);
	block->count = (uint32_t)count;
	block->branch = x86_branch(bytes, size);
	block->software_interrupt = x86_is_software_interrupt(bytes, size);
	block->enters_machine = x86_enters_machine(bytes, size);
	block->breakpoint = size == 1 && bytes[0] == X86_INT3;
	for (size_t i = 0; i < count; i++)
		block->offsets[i] =
			(uint16_t)(qemu_plugin_insn_vaddr(
					   qemu_plugin_tb_get_insn(tb, i)) -
				   block->start);
	return block;
}

uint32_t block_index(const struct block *block, uint64_t offset)
{
	for (uint32_t i = 0; i < block->count; i++)
		if (block->offsets[i] == offset)
			return i;
	return block->count;
}
