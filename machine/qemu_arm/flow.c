/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/flow.h"

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
	struct ete_time now = guest_clock_now(&vcpu->clock);

	ete_unit_branch(&vcpu->unit, block->branch,
			vcpu->block_start + block_size(block), to, &now);
}

/* Reports that the current block continued to @ip without an exception.
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

static bool is_kernel(const struct block *block)
{
	return block->start >> 63;
}

static bool user_is_traced(const struct vcpu *vcpu)
{
	return vcpu->unit.registers.trfcr & TRFCR_E0TRE;
}

/* Reading a register costs more than everything else here, so untraced user
 * code keeps its address of translation.
 */
static uint64_t locate(struct vcpu *vcpu, const struct block *block)
{
	if (is_kernel(block) || !user_is_traced(vcpu))
		return block->start;
	return guest_read(&vcpu->guest, GUEST_PC);
}

static void arrive(struct vcpu *vcpu, uint64_t ip, uint64_t end)
{
	struct ete_time now = guest_clock_now(&vcpu->clock);

	if (vcpu->context_moved)
		ete_unit_context_id(&vcpu->unit,
				    (uint32_t)guest_read(&vcpu->guest,
							 GUEST_CONTEXTIDR));
	vcpu->context_moved = false;
	ete_unit_arrive(&vcpu->unit, ip, end, &now);
}

void flow_block(struct vcpu *vcpu, const struct block *block)
{
	uint64_t start = locate(vcpu, block);

	finish_block(vcpu, start);
	vcpu->block = block;
	vcpu->block_start = start;
	vcpu->board->last_began = 0;
	arrive(vcpu, start, start + block_size(block));
}

/* @from, in the current block or at its target, shows the page of a block that
 * locate() did not locate.
 */
static void relocate(struct vcpu *vcpu, uint64_t from)
{
	const uint64_t pages = ~0xfffull;

	if (vcpu->block && !is_kernel(vcpu->block) && !user_is_traced(vcpu))
		vcpu->block_start += (from - vcpu->block_start) & pages;
}

/* Returns whether an exception at @from is in the current block instead of at
 * its target.
 */
static bool is_in_block(const struct vcpu *vcpu, uint64_t from)
{
	const struct block *block = vcpu->block;

	return block &&
	       (!vcpu->board->last_began ||
		from == vcpu->block_start + block_size(block) - A64_INSN_SIZE);
}

/* Converts ESR_EL1's exception class (Arm ARM, "ESR_EL1") to ETE's exception
 * type.
 */
static enum ete_exception exception_type(uint64_t syndrome)
{
	switch (syndrome >> 26 & 0x3f) {
	case 0x15:
	case 0x16:
	case 0x17: /* SVC, HVC, SMC */
		return ETE_EXCEPTION_CALL;
	case 0x20:
	case 0x21:
		return ETE_EXCEPTION_INST_FAULT;
	case 0x22:
	case 0x26: /* PC, SP alignment */
		return ETE_EXCEPTION_ALIGNMENT;
	case 0x24:
	case 0x25:
		return ETE_EXCEPTION_DATA_FAULT;
	case 0x2f:
		return ETE_EXCEPTION_SERROR;
	case 0x30:
	case 0x31:
	case 0x32:
	case 0x33:
	case 0x3c:
		return ETE_EXCEPTION_INST_DEBUG;
	case 0x34:
	case 0x35:
		return ETE_EXCEPTION_DATA_DEBUG;
	default:
		return ETE_EXCEPTION_TRAP;
	}
}

/* Vectors have 128 bytes: synchronous, IRQ, FIQ, SError. */
static enum ete_exception interrupt_type(uint64_t vector)
{
	switch (vector & 0x180) {
	case 0x100:
		return ETE_EXCEPTION_FIQ;
	case 0x180:
		return ETE_EXCEPTION_SERROR;
	default:
		return ETE_EXCEPTION_IRQ;
	}
}

static void deliver(struct vcpu *vcpu, enum ete_exception type, uint64_t from,
		    uint64_t to)
{
	struct ete_time now = guest_clock_now(&vcpu->clock);

	ete_unit_exception(&vcpu->unit, type, from, &now);
	vcpu->block = NULL;
	vcpu->board->last_began = 0;
	arrive(vcpu, to, to);
}

void flow_interrupt(struct vcpu *vcpu, uint64_t from, uint64_t to)
{
	relocate(vcpu, from);
	if (finish_block(vcpu, from))
		arrive(vcpu, from, from);
	deliver(vcpu, interrupt_type(to), from, to);
}

void flow_exception(struct vcpu *vcpu, uint64_t from, uint64_t to)
{
	relocate(vcpu, from);
	if (is_in_block(vcpu, from))
		uncount(vcpu, vcpu->block,
			block_index(vcpu->block, from - vcpu->block_start));
	else if (finish_block(vcpu, from))
		arrive(vcpu, from, from);
	deliver(vcpu, exception_type(guest_read(&vcpu->guest, GUEST_ESR)), from,
		to);
}

void flow_restart(struct vcpu *vcpu)
{
	vcpu->block = NULL;
	vcpu->board->last_began = 0;
	vcpu->context_moved = true;
}
