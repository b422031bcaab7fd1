/* SPDX-License-Identifier: MIT */
#include "report/annotate/disassembly_internal.h"

#include <Zydis/Zydis.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Writes the instruction of @size bytes at @bytes as a number. T32 stores the
 * upper half of a long instruction first.
 */
static void write_number(enum disassembly_set set, const uint8_t *bytes,
			 uint8_t size, struct disassembly *line)
{
	uint32_t low = bytes[0] | (uint32_t)bytes[1] << 8;
	uint32_t high = 0;

	if (size == 4)
		high = bytes[2] | (uint32_t)bytes[3] << 8;
	line->size_bytes = size;
	snprintf(line->text, sizeof(line->text), ".inst 0x%0*" PRIx32, 2 * size,
		 set == DISASSEMBLY_T32 && size == 4 ? low << 16 | high :
						       high << 16 | low);
}

/* Returns the size of the T32 instruction at @bytes (Arm ARM, F3.1). */
static uint8_t t32_size(const uint8_t *bytes)
{
	return (bytes[1] & 0xf8) >= 0xe8 ? 4 : 2;
}

static void disassemble_arm(enum disassembly_set set, const uint8_t *bytes,
			    size_t size, struct disassembly *line)
{
	uint8_t needed = 4;

	if (set == DISASSEMBLY_T32 && size >= 2)
		needed = t32_size(bytes);
	if (size >= needed)
		write_number(set, bytes, needed, line);
}

/* Returns whether @operand is the target of a direct branch. */
static bool is_target(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       operand->imm.is_relative;
}

static void write_x86(const ZydisDecodedInstruction *decoded,
		      const ZydisDecodedOperand *operands, uint64_t address,
		      struct disassembly *line)
{
	ZydisFormatter formatter;

	line->size_bytes = decoded->length;
	if (decoded->operand_count_visible && is_target(&operands[0])) {
		line->target = address + decoded->length +
			       (uint64_t)operands[0].imm.value.s;
		snprintf(line->text, sizeof(line->text), "%s",
			 ZydisMnemonicGetString(decoded->mnemonic));
		return;
	}
	if (!ZYAN_SUCCESS(ZydisFormatterInit(&formatter,
					     ZYDIS_FORMATTER_STYLE_ATT)) ||
	    !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(
		    &formatter, decoded, operands,
		    decoded->operand_count_visible, line->text,
		    sizeof(line->text), address, NULL)))
		line->size_bytes = 0;
}

static void disassemble_x86(bool is_64, const uint8_t *bytes, size_t size,
			    uint64_t address, struct disassembly *line)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction decoded;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	ZydisDecoderInit(&decoder,
			 is_64 ? ZYDIS_MACHINE_MODE_LONG_64 :
				 ZYDIS_MACHINE_MODE_LONG_COMPAT_32,
			 is_64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &decoded,
						operands)))
		write_x86(&decoded, operands, address, line);
}

void disassemble(enum disassembly_set set, const uint8_t *bytes, size_t size,
		 uint64_t address, struct disassembly *line)
{
	*line = (struct disassembly){ .size_bytes = 0 };
	switch (set) {
	case DISASSEMBLY_X86_64:
	case DISASSEMBLY_X86_32:
		disassemble_x86(set == DISASSEMBLY_X86_64, bytes, size, address,
				line);
		break;
	case DISASSEMBLY_A64:
	case DISASSEMBLY_T32:
	case DISASSEMBLY_A32:
		disassemble_arm(set, bytes, size, line);
		break;
	}
	if (!line->size_bytes)
		strcpy(line->text, "(bad)");
}
