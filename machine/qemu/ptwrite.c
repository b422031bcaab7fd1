/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/emulate.h"

#include <string.h>

/* An instruction's ModRM operand, as far as ptwrite needs it (64-bit mode;
 * SDM volume 2, "Instruction Format").
 */
struct operand {
	bool is_register;
	unsigned reg;		/* encoding, when a register */
	uint64_t address;	/* when memory */
};

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
			       uint8_t modrm, uint64_t next)
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
		return next + (uint64_t)displacement(cursor, 4);
	}
	address += general(vcpu, rm | (cursor->rex & 1) << 3);
	if (mod)
		address += (uint64_t)displacement(cursor, mod == 1 ? 1 : 4);
	return address;
}

static struct operand decode(struct vcpu *vcpu, const struct ptwrite_insn *insn,
			     uint8_t *rex)
{
	const uint8_t *opcode = insn->bytes;
	struct cursor cursor;

	while (*opcode != 0x0f)
		opcode++;
	*rex = (opcode[-1] & 0xf0) == 0x40 ? opcode[-1] : 0;
	cursor = (struct cursor){ .at = opcode + 3, .rex = *rex };

	uint8_t modrm = opcode[2];

	if (modrm >> 6 == 3)
		return (struct operand){
			.is_register = true,
			.reg = (modrm & 7u) | (*rex & 1u) << 3,
		};
	return (struct operand){
		.address = memory_operand(vcpu, &cursor, modrm, insn->next),
	};
}

static bool load(struct vcpu *vcpu, uint64_t address, unsigned size,
		 uint64_t *value)
{
	GByteArray *scratch = vcpu->guest.scratch;

	g_byte_array_set_size(scratch, 0);
	if (!qemu_plugin_read_memory_vaddr(address, scratch, size))
		return false;
	*value = 0;
	memcpy(value, scratch->data, size);
	return true;
}

void emulate_ptwrite(struct vcpu *vcpu, const struct ptwrite_insn *insn)
{
	uint8_t rex;
	struct operand operand = decode(vcpu, insn, &rex);
	unsigned size = rex & 8 ? 8 : 4;
	uint64_t value;

	if (operand.is_register)
		value = general(vcpu, operand.reg);
	else if (!load(vcpu, operand.address, size, &value))
		return;
	pt_unit_ptwrite(&vcpu->unit, value, size, insn->ip,
			guest_clock_now(&vcpu->clock));
	qemu_plugin_set_pc(insn->next);
}
