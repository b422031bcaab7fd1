/* SPDX-License-Identifier: MIT */
#include "execution/instruction/x86_vector.h"

#include "common/error.h"
#include "execution/instruction/x86_opcode.h"

/* Returns the size of immediates of 2 or 4 bytes, by operand size. */
static size_t operand_size(const struct x86_opcode *opcode)
{
	return opcode->prefix == 0x66 ? 2 : 4;
}

/* EVEX's map 4: APX's promotions of legacy instructions. */
static size_t promoted_immediate(const struct x86_opcode *opcode, uint8_t modrm)
{
	bool is_test = (modrm & 0x38) < 0x10;

	switch (opcode->opcode) {
	case 0x24: /* shld, shrd */
	case 0x2c:
	case 0x6b: /* imul */
	case 0x80: /* add, or, ..., ccmp */
	case 0x83:
	case 0xc0: /* rol, ... */
	case 0xc1:
	case 0xd4: /* sha1rnds4 */
		return 1;
	case 0x69:
	case 0x81:
		return operand_size(opcode);
	case 0xf6: /* ctest */
		return is_test ? 1 : 0;
	case 0xf7:
		return is_test ? operand_size(opcode) : 0;
	default:
		return 0;
	}
}

/* pshufd and the shifts, cmpps, pinsrw, pextrw, shufps. */
static bool has_immediate_in_map_1(uint8_t opcode)
{
	return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
	       (opcode >= 0xc4 && opcode <= 0xc6);
}

/* With VEX, only map 1 has branches (Knights Corner's jkzd), and Zydis knows
 * all of map 1.
 */
static int read_rest(struct x86_opcode *opcode)
{
	bool is_evex = opcode->encoding == X86_EVEX;
	uint8_t modrm = x86_opcode_read_modrm(opcode);

	switch (opcode->map) {
	case 1:
		opcode->at += has_immediate_in_map_1(opcode->opcode);
		return is_evex ? 1 : -ERROR_UNSUPPORTED;
	case 3:
		opcode->at += 1;
		return 1;
	case 4:
		opcode->at += promoted_immediate(opcode, modrm);
		return is_evex ? 1 : -ERROR_UNSUPPORTED;
	case 2:
	case 5:
	case 6:
		return 1;
	default:
		return -ERROR_UNSUPPORTED;
	}
}

int x86_vector_read(enum instruction_set set, const uint8_t *bytes, size_t size,
		    struct instruction *instruction)
{
	struct x86_opcode opcode = { .bytes = bytes, .size = size };
	int status = x86_opcode_read(&opcode, set);

	if (status < 0 || x86_opcode_has_short_addresses(&opcode, set) ||
	    (opcode.encoding != X86_VEX && opcode.encoding != X86_EVEX))
		return -ERROR_UNSUPPORTED;
	if (opcode.at <= size)
		status = read_rest(&opcode);
	return status < 0 ? status : x86_opcode_end(&opcode, instruction);
}
