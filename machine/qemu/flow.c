/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/flow.h"

/* Linux's selector of 32-bit user code (arch/x86/include/asm/segment.h); QEMU
 * shows no descriptors from which to read CS.L and CS.D.
 */
enum { SELECTOR_USER32 = 0x23 };

static void tell_mode(struct vcpu *vcpu)
{
	bool compat = guest_read(&vcpu->guest, GUEST_CS) == SELECTOR_USER32;

	pt_unit_mode(&vcpu->unit, !compat, compat);
}

static void tell_cr3(struct vcpu *vcpu, uint64_t ip)
{
	if (!vcpu->cr3_moved)
		return;
	vcpu->cr3_moved = false;
	pt_unit_cr3(&vcpu->unit, guest_read(&vcpu->guest, GUEST_CR3), true, ip,
		    guest_clock_now(&vcpu->clock));
}

/* Instructions of a block are counted when it begins: takes back those that
 * did not run because it was left before the one at @index.
 */
static void uncount(struct vcpu *vcpu, const struct block *block,
		    uint32_t index)
{
	vcpu->board->retired -= block->count - index;
}

static void retire(struct vcpu *vcpu, const struct block *block, uint64_t to)
{
	if (block->branch == PT_BRANCH_FAR)
		tell_mode(vcpu);
	if (block->branch != PT_BRANCH_NONE)
		pt_unit_branch(&vcpu->unit, block->branch, block->next, to,
			       guest_clock_now(&vcpu->clock));
}

/* The block that was under way went on to @ip, without a fault in it.
 *
 * Returns false if it was left in its middle.
 */
static bool finish_block(struct vcpu *vcpu, uint64_t ip)
{
	const struct block *block = vcpu->block;

	if (!block)
		return true;
	if (!vcpu->board->last_began) {
		uncount(vcpu, block, block_index(block, ip));
		return false;
	}
	retire(vcpu, block, ip);
	return true;
}

void flow_block(struct vcpu *vcpu, const struct block *block)
{
	finish_block(vcpu, block->start);
	vcpu->block = block;
	vcpu->board->last_began = 0;
	tell_cr3(vcpu, block->start);
	pt_unit_arrive(&vcpu->unit, block->start,
		       guest_clock_now(&vcpu->clock));
}

static void wake(struct vcpu *vcpu)
{
	guest_clock_interrupt(&vcpu->clock, &vcpu->guest);
	if (!vcpu->halted)
		return;
	vcpu->halted = false;
	pt_unit_slept(&vcpu->unit, vcpu->halted_tsc,
		      guest_clock_now(&vcpu->clock));
}

/* A fault at @from: in the block under way, or where that block led to. */
static bool faulted_in_block(const struct vcpu *vcpu, uint64_t from)
{
	const struct block *block = vcpu->block;

	return block && (from == block->last || !vcpu->board->last_began);
}

/* int n, int3 and the like are branches that retire, not faults. */
static bool is_software_interrupt(const struct vcpu *vcpu, uint64_t from)
{
	return vcpu->block && from == vcpu->block->last &&
	       vcpu->board->last_began && vcpu->block->software_interrupt;
}

static void exception(struct vcpu *vcpu, uint64_t from, uint64_t to)
{
	if (is_software_interrupt(vcpu, from)) {
		retire(vcpu, vcpu->block, to);
		return;
	}
	if (faulted_in_block(vcpu, from))
		uncount(vcpu, vcpu->block, block_index(vcpu->block, from));
	else if (finish_block(vcpu, from))
		pt_unit_arrive(&vcpu->unit, from,
			       guest_clock_now(&vcpu->clock));
	pt_unit_async(&vcpu->unit, from, to, guest_clock_now(&vcpu->clock));
}

static void interrupt(struct vcpu *vcpu, uint64_t from, uint64_t to)
{
	if (finish_block(vcpu, from)) {
		tell_cr3(vcpu, from);
		pt_unit_arrive(&vcpu->unit, from,
			       guest_clock_now(&vcpu->clock));
	}
	pt_unit_async(&vcpu->unit, from, to, guest_clock_now(&vcpu->clock));
}

void flow_discontinuity(struct vcpu *vcpu, enum qemu_plugin_discon_type type,
			uint64_t from, uint64_t to)
{
	if (type == QEMU_PLUGIN_DISCON_INTERRUPT)
		wake(vcpu);
	if (!pt_unit_is_tracing(&vcpu->unit))
		return;
	tell_mode(vcpu);
	if (type == QEMU_PLUGIN_DISCON_INTERRUPT)
		interrupt(vcpu, from, to);
	else
		exception(vcpu, from, to);
	vcpu->block = NULL;
	pt_unit_arrive(&vcpu->unit, to, guest_clock_now(&vcpu->clock));
}

void flow_restart(struct vcpu *vcpu)
{
	vcpu->block = NULL;
	vcpu->board->last_began = 0;
	pt_unit_cr3(&vcpu->unit, guest_read(&vcpu->guest, GUEST_CR3), false, 0,
		    guest_clock_now(&vcpu->clock));
}
