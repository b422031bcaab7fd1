/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/emulate.h"

#include <string.h>

/* An instruction's ModRM operand, as far as ptwrite needs it (64-bit mode; SDM
 * volume 2, "Instruction Format").
 */
struct operand {
	bool is_register;
	unsigned reg;	  /* encoding, if a register */
	uint64_t address; /* if memory */
	bool from_next;	  /* the address is relative to the next instruction */
	uint8_t rex;
	size_t length; /* of the whole instruction */
};

enum { X86_INSN_MAX = 15 };

struct cursor {
	const uint8_t *at;
	uint8_t rex;
};

static int64_t displacement(struct cursor *cursor, unsigned size)
{
	int8_t narrow;
	int32_t wide;

	if (size == 1) {
		memcpy(&narrow, cursor->at, sizeof(narrow));
		cursor->at += 1;
		return narrow;
	}
	memcpy(&wide, cursor->at, sizeof(wide));
	cursor->at += 4;
	return wide;
}

static uint64_t general(struct vcpu *vcpu, unsigned encoding)
{
	return guest_read(&vcpu->guest, GUEST_GENERAL + encoding);
}

static uint64_t scaled_index(struct vcpu *vcpu, uint8_t sib, uint8_t rex)
{
	unsigned index = (sib >> 3 & 7) | (rex & 2) << 2;

	return index == 4 ? 0 : general(vcpu, index) << (sib >> 6);
}

static uint64_t memory_operand(struct vcpu *vcpu, struct cursor *cursor,
			       uint8_t modrm, bool *from_next)
{
	unsigned mod = modrm >> 6, rm = modrm & 7;
	uint64_t address = 0;

	if (rm == 4) {
		uint8_t sib = *cursor->at++;

		rm = sib & 7;
		address = scaled_index(vcpu, sib, cursor->rex);
		if (mod == 0 && rm == 5)
			return address + (uint64_t)displacement(cursor, 4);
	} else if (mod == 0 && rm == 5) {
		*from_next = true;
		return (uint64_t)displacement(cursor, 4);
	}
	address += general(vcpu, rm | (cursor->rex & 1) << 3);
	if (mod)
		address += (uint64_t)displacement(cursor, mod == 1 ? 1 : 4);
	return address;
}

static struct operand decode(struct vcpu *vcpu, const uint8_t *bytes)
{
	struct operand operand = { 0 };
	const uint8_t *opcode = bytes;
	struct cursor cursor;
	uint8_t modrm;

	while (*opcode != 0x0f)
		opcode++;
	modrm = opcode[2];
	operand.rex = (opcode[-1] & 0xf0) == 0x40 ? opcode[-1] : 0;
	operand.is_register = modrm >> 6 == 3;
	operand.reg = (modrm & 7u) | (operand.rex & 1u) << 3;
	cursor = (struct cursor){ .at = opcode + 3, .rex = operand.rex };
	if (!operand.is_register)
		operand.address = memory_operand(vcpu, &cursor, modrm,
						 &operand.from_next);
	operand.length = (size_t)(cursor.at - bytes);
	return operand;
}

/* QEMU gives up on the instruction before it has read all of it, so @insn has
 * neither all bytes nor the right size.
 */
static void fetch(struct vcpu *vcpu, uint64_t ip,
		  const struct ptwrite_insn *insn, uint8_t *bytes)
{
	if (!guest_read_virtual(&vcpu->guest, ip, bytes, X86_INSN_MAX))
		memcpy(bytes, insn->bytes, insn->size);
}

void emulate_ptwrite(struct vcpu *vcpu, const struct ptwrite_insn *insn)
{
	uint8_t bytes[X86_INSN_MAX] = { 0 };
	uint64_t ip = insn->ip;
	struct operand operand;
	uint64_t next, value = 0;
	unsigned size;

	/* The block may run at a different address from that at translation. */
	if (vcpu->block)
		ip += vcpu->block_start - vcpu->block->start;
	fetch(vcpu, ip, insn, bytes);
	operand = decode(vcpu, bytes);
	next = ip + operand.length;
	size = operand.rex & 8 ? 8 : 4;
	if (operand.is_register)
		value = general(vcpu, operand.reg);
	else if (!guest_read_virtual(&vcpu->guest,
				     operand.address +
					     (operand.from_next ? next : 0),
				     &value, size))
		return;
	pt_unit_ptwrite(&vcpu->unit, value, size, ip,
			guest_clock_now(&vcpu->clock));
	qemu_plugin_set_pc(next);
}
