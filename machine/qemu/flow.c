/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/flow.h"
#include "machine/qemu/counting.h"
#include "machine/qemu/events.h"

/* Linux's selector of 32-bit user code (arch/x86/include/asm/segment.h). QEMU
 * exposes no descriptors with CS.L and CS.D.
 */
enum { SELECTOR_USER32 = 0x23 };

static void tell_mode_as(struct vcpu *vcpu, uint64_t cs, uint64_t rflags)
{
	bool compat = cs == SELECTOR_USER32;

	pt_unit_mode(&vcpu->unit, !compat, compat);
	events_tell_flag(vcpu, rflags);
}

static uint64_t flags_if_wanted(struct vcpu *vcpu)
{
	return pt_unit_wants_events(&vcpu->unit) ?
		       guest_read(&vcpu->guest, GUEST_EFLAGS) :
		       0;
}

static void tell_mode(struct vcpu *vcpu)
{
	tell_mode_as(vcpu, guest_read(&vcpu->guest, GUEST_CS),
		     flags_if_wanted(vcpu));
}

/* Returns whether the current block ends with a branch that changes the mode.
 */
static bool is_far_transfer(const struct vcpu *vcpu)
{
	const struct block *block = vcpu->block;

	return block && vcpu->board->last_began &&
	       (block->branch == PT_BRANCH_FAR ||
		block->branch == PT_BRANCH_IRET);
}

/* An interrupt arrived directly after a far transfer to @from. The interrupt's
 * frame contains the mode after the transfer (SDM volume 3, "64-Bit Mode Stack
 * Frame").
 */
static void tell_interrupted_mode(struct vcpu *vcpu, uint64_t from)
{
	struct {
		uint64_t rip, cs, rflags;
	} frame = { 0 };
	uint64_t stack;

	if (!is_far_transfer(vcpu))
		return;
	stack = guest_read(&vcpu->guest, GUEST_RSP);
	guest_read_virtual(&vcpu->guest, stack, &frame, sizeof(frame));
	/* An error code is below the frame. */
	if (frame.rip != from)
		guest_read_virtual(&vcpu->guest, stack + sizeof(uint64_t),
				   &frame, sizeof(frame));
	tell_mode_as(vcpu, frame.cs, frame.rflags);
}

static void tell_cr3(struct vcpu *vcpu, uint64_t ip)
{
	if (!vcpu->cr3_moved)
		return;
	vcpu->cr3_moved = false;
	pt_unit_cr3(&vcpu->unit, guest_read(&vcpu->guest, GUEST_CR3), true, ip,
		    guest_clock_now(&vcpu->clock));
}

/* A block's instructions are counted when it starts. Subtracts those that did
 * not run because the block was left before the one at @index.
 */
static void uncount(struct vcpu *vcpu, const struct block *block,
		    uint32_t index)
{
	vcpu->board->retired -= block->count - index;
}

static void retire(struct vcpu *vcpu, const struct block *block, uint64_t to)
{
	if (block->branch == PT_BRANCH_IRET)
		pt_unit_iret(&vcpu->unit, vcpu->block_start + block->last, to,
			     guest_clock_now(&vcpu->clock));
	if (block->branch != PT_BRANCH_NONE)
		pt_unit_branch(&vcpu->unit, block->branch,
			       vcpu->block_start + block->end, to,
			       guest_clock_now(&vcpu->clock));
}

/* Reports that the current block continued to @ip without a fault.
 *
 * Returns false if the block was left in the middle.
 */
static bool finish_block(struct vcpu *vcpu, uint64_t ip)
{
	const struct block *block = vcpu->block;

	if (!block)
		return true;
	if (!vcpu->board->last_began) {
		uncount(vcpu, block,
			block_index(block, ip - vcpu->block_start));
		return false;
	}
	retire(vcpu, block, ip);
	return true;
}

/* Reading a register costs more than everything else here, so untraced user
 * code keeps its address of translation.
 */
static uint64_t locate(struct vcpu *vcpu, const struct block *block)
{
	if (block_is_kernel(block) || !(vcpu->unit.registers.ctl & CTL_USER))
		return block->start;
	return guest_read(&vcpu->guest, GUEST_RIP);
}

/* Returns whether a virtual machine runs at @start. */
static bool is_in_machine(struct vcpu *vcpu, uint64_t start)
{
	const struct block *block = vcpu->block;

	if (vcpu->machine_exit == start) {
		vcpu->machine_exit = 0;
		vcpu->block = NULL;
		vcpu->cr3_moved = false;
		tell_mode(vcpu);
	}
	if (vcpu->machine_exit || !block || !block->enters_machine ||
	    !vcpu->board->last_began || start == vcpu->block_start + block->end)
		return vcpu->machine_exit;
	vcpu->machine_exit = vcpu->block_start + block->end;
	pt_unit_enter_machine(&vcpu->unit, guest_clock_now(&vcpu->clock));
	return true;
}

void flow_block(struct vcpu *vcpu, const struct block *block)
{
	uint64_t start = locate(vcpu, block);

	if (is_in_machine(vcpu, start))
		return;
	guest_clock_begin_block(&vcpu->clock);
	events_report_flags(vcpu);
	if (is_far_transfer(vcpu))
		tell_mode(vcpu);
	finish_block(vcpu, start);
	vcpu->block = block;
	vcpu->block_start = start;
	vcpu->board->last_began = 0;
	tell_cr3(vcpu, start);
	pt_unit_arrive(&vcpu->unit, start, guest_clock_now(&vcpu->clock));
	guest_clock_end_block(&vcpu->clock);
}

/* @from, in the current block or at its target, shows the page of a block that
 * locate() did not locate.
 */
static void relocate(struct vcpu *vcpu, uint64_t from)
{
	const uint64_t pages = ~0xfffull;

	if (vcpu->block && !block_is_kernel(vcpu->block) &&
	    !(vcpu->unit.registers.ctl & CTL_USER))
		vcpu->block_start += (from - vcpu->block_start) & pages;
}

static void wake(struct vcpu *vcpu)
{
	guest_clock_interrupt(&vcpu->clock, &vcpu->guest);
	if (!vcpu->halted)
		return;
	vcpu->halted = false;
	counting_woke(vcpu);
	pt_unit_slept(&vcpu->unit, vcpu->halted_tsc,
		      guest_clock_now(&vcpu->clock));
}

/* Returns whether a fault at @from is in the current block instead of at its
 * target.
 */
static bool faulted_in_block(const struct vcpu *vcpu, uint64_t from)
{
	const struct block *block = vcpu->block;

	return block && (from == vcpu->block_start + block->last ||
			 !vcpu->board->last_began);
}

/* int n, int3 and similar instructions retire and are not events, but the unit
 * writes their address like that of a fault (SDM volume 3, "FUP Cases and IP
 * Payload").
 */
static bool is_software_interrupt(const struct vcpu *vcpu, uint64_t from)
{
	const struct block *block = vcpu->block;

	return block && from == vcpu->block_start + block->last &&
	       vcpu->board->last_began && block->software_interrupt;
}

static void async(struct vcpu *vcpu, uint64_t from, uint64_t to)
{
	tell_mode(vcpu);
	events_interrupt(vcpu, from, to);
	pt_unit_async(&vcpu->unit, from, to, guest_clock_now(&vcpu->clock));
}

static void exception(struct vcpu *vcpu, uint64_t from, uint64_t to)
{
	events_report_flags(vcpu);
	if (is_software_interrupt(vcpu, from)) {
		tell_mode(vcpu);
		pt_unit_async(&vcpu->unit, from, to,
			      guest_clock_now(&vcpu->clock));
		return;
	}
	if (faulted_in_block(vcpu, from)) {
		uncount(vcpu, vcpu->block,
			block_index(vcpu->block, from - vcpu->block_start));
	} else {
		tell_interrupted_mode(vcpu, from);
		if (finish_block(vcpu, from))
			pt_unit_arrive(&vcpu->unit, from,
				       guest_clock_now(&vcpu->clock));
	}
	async(vcpu, from, to);
}

static void interrupt(struct vcpu *vcpu, uint64_t from, uint64_t to)
{
	events_report_flags(vcpu);
	tell_interrupted_mode(vcpu, from);
	if (finish_block(vcpu, from)) {
		tell_cr3(vcpu, from);
		pt_unit_arrive(&vcpu->unit, from,
			       guest_clock_now(&vcpu->clock));
	}
	async(vcpu, from, to);
}

void flow_raised(struct vcpu *vcpu)
{
	vcpu->raised = true;
}

static void deliver(struct vcpu *vcpu, uint64_t from, uint64_t to, bool raised)
{
	relocate(vcpu, from);
	if (raised)
		exception(vcpu, from, to);
	else
		interrupt(vcpu, from, to);
	vcpu->block = NULL;
	pt_unit_arrive(&vcpu->unit, to, guest_clock_now(&vcpu->clock));
}

void flow_delivered(struct vcpu *vcpu, uint64_t from, uint64_t to)
{
	bool raised = vcpu->raised;

	vcpu->raised = false;
	guest_clock_begin_block(&vcpu->clock);
	if (!raised)
		wake(vcpu);
	if (pt_unit_is_tracing(&vcpu->unit) && !vcpu->machine_exit)
		deliver(vcpu, from, to, raised);
	guest_clock_end_block(&vcpu->clock);
}

void flow_restart(struct vcpu *vcpu)
{
	vcpu->block = NULL;
	vcpu->machine_exit = 0;
	vcpu->flag_write_count = 0;
	vcpu->board->last_began = 0;
	events_tell_flag(vcpu, flags_if_wanted(vcpu));
	pt_unit_cr3(&vcpu->unit, guest_read(&vcpu->guest, GUEST_CR3), false, 0,
		    guest_clock_now(&vcpu->clock));
}
