/* SPDX-License-Identifier: MIT */
#include "execution/instruction/x86_opcode.h"

#include "common/error.h"

bool x86_is_legacy_prefix(uint8_t byte)
{
	return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e ||
	       (byte >= 0x64 && byte <= 0x67) || byte == 0xf0 || byte == 0xf2 ||
	       byte == 0xf3;
}

uint8_t x86_opcode_next(struct x86_opcode *opcode)
{
	uint8_t byte = 0;

	if (opcode->at < opcode->size)
		byte = opcode->bytes[opcode->at];
	opcode->at++;
	return byte;
}

/* f2 and f3 take precedence over 66, whatever the order. */
static uint8_t read_prefixes(struct x86_opcode *opcode)
{
	uint8_t byte = x86_opcode_next(opcode);

	while (x86_is_legacy_prefix(byte)) {
		if (byte == 0xf2 || byte == 0xf3 ||
		    (byte == 0x66 && !opcode->prefix))
			opcode->prefix = byte;
		opcode->has_address_size |= byte == 0x67;
		byte = x86_opcode_next(opcode);
	}
	return byte;
}

/* The two lowest bits of VEX's and EVEX's third byte. */
static void set_prefix(struct x86_opcode *opcode, uint8_t payload)
{
	static const uint8_t prefixes[] = { 0, 0x66, 0xf3, 0xf2 };

	opcode->prefix = prefixes[payload & 3];
	opcode->is_wide = payload & 0x80;
}

/* Outside 64-bit mode the first byte of VEX or EVEX is les, lds or bound unless
 * the two highest bits of the next byte, their ModR/M, are set.
 */
static int read_vector(struct x86_opcode *opcode, enum instruction_set set,
		       uint8_t first)
{
	uint8_t payload = x86_opcode_next(opcode);

	if (set != INSTRUCTION_X86_64 && (payload & 0xc0) != 0xc0)
		return -ERROR_UNSUPPORTED;
	opcode->encoding = first == 0x62 ? X86_EVEX : X86_VEX;
	opcode->map = payload & (first == 0x62 ? 7 : 0x1f);
	set_prefix(opcode, x86_opcode_next(opcode));
	if (first == 0x62)
		x86_opcode_next(opcode);
	opcode->opcode = x86_opcode_next(opcode);
	return 1;
}

static int read_legacy(struct x86_opcode *opcode, uint8_t first)
{
	opcode->encoding = X86_LEGACY;
	if (first != 0x0f)
		return -ERROR_UNSUPPORTED;
	opcode->map = 1;
	opcode->opcode = x86_opcode_next(opcode);
	if (opcode->opcode != 0x38)
		return 1;
	opcode->map = 2;
	opcode->opcode = x86_opcode_next(opcode);
	return 1;
}

int x86_opcode_read(struct x86_opcode *opcode, enum instruction_set set)
{
	uint8_t byte = read_prefixes(opcode);
	uint8_t payload;

	if (byte == 0x62 || byte == 0xc4)
		return read_vector(opcode, set, byte);
	if (set == INSTRUCTION_X86_64 && byte == 0xd5) {
		payload = x86_opcode_next(opcode);
		opcode->encoding = X86_REX2;
		opcode->map = payload >> 7;
		opcode->is_wide = payload & 8;
		opcode->opcode = x86_opcode_next(opcode);
		return 1;
	}
	if (set == INSTRUCTION_X86_64 && (byte & 0xf0) == 0x40)
		byte = x86_opcode_next(opcode);
	return read_legacy(opcode, byte);
}

uint8_t x86_opcode_read_modrm(struct x86_opcode *opcode)
{
	uint8_t modrm = x86_opcode_next(opcode);
	uint8_t mode = modrm >> 6;
	uint8_t base = modrm & 7;

	if (mode == 3)
		return modrm;
	if (base == 4)
		base = x86_opcode_next(opcode) & 7;
	if (mode == 1)
		opcode->at += 1;
	else if (mode == 2 || base == 5)
		opcode->at += 4;
	return modrm;
}

bool x86_opcode_has_short_addresses(const struct x86_opcode *opcode,
				    enum instruction_set set)
{
	return set == INSTRUCTION_X86_16 ||
	       (set == INSTRUCTION_X86_32 && opcode->has_address_size);
}

int x86_opcode_end(const struct x86_opcode *opcode,
		   struct instruction *instruction)
{
	if (opcode->at > X86_LENGTH_LIMIT)
		return -ERROR_UNSUPPORTED;
	if (opcode->at > opcode->size)
		return 0;
	instruction->length = (uint8_t)opcode->at;
	return 1;
}
