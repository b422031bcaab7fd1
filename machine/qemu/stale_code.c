/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/stale_code.h"
#include "machine/qemu/plugin_api.h"
#include "machine/qemu/x86_branch.h"

/* Writing the current byte makes QEMU translate the code again. The block
 * restarts as a whole, because in its middle QEMU's state of the flags is
 * incomplete.
 */
void stale_code_check(struct vcpu *vcpu, const struct block *block)
{
	uint64_t address;
	uint8_t byte;

	if (!qemu_plugin_translate_vaddr(block->start + block->last,
					 &address) ||
	    !guest_read_physical(&vcpu->guest, address, &byte, sizeof(byte)) ||
	    byte == X86_INT3)
		return;
	guest_write_physical(&vcpu->guest, address, &byte, sizeof(byte));
	qemu_plugin_set_pc(block->start);
}
