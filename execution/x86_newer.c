/* SPDX-License-Identifier: MIT */
#include "execution/x86_newer.h"

#include "common/error.h"
#include "execution/x86_opcode.h"

enum {
	ANY = 0xff,		/* prefix */
	MODRM_ALL = 0xff,	/* masks */
	MODRM_REG = 0x38,
	MODRM_MODE = 0xc0,
};

/* Legacy encoded ones, all of which have a ModR/M byte. */
static const struct {
	uint8_t map;
	uint8_t opcode;
	uint8_t prefix;
	uint8_t modrm_mask;
	uint8_t modrm;
	enum instruction_kind kind;
	bool switches_trace;
	bool is_64_bit;		/* only in 64-bit mode */
} rows[] = {
	/* eretu, erets, lkgs */
	{ 1, 0x01, 0xf3, MODRM_ALL, 0xca, INSTRUCTION_FAR_RETURN, 0, 1 },
	{ 1, 0x01, 0xf2, MODRM_ALL, 0xca, INSTRUCTION_FAR_RETURN, 0, 1 },
	{ 1, 0x00, 0xf2, MODRM_REG, 0x30, INSTRUCTION_PLAIN, 0, 1 },
	/* wrmsrns, wrmsrlist, rdmsrlist, pbndkb */
	{ 1, 0x01, 0, MODRM_ALL, 0xc6, INSTRUCTION_PLAIN, 1, 0 },
	{ 1, 0x01, 0xf3, MODRM_ALL, 0xc6, INSTRUCTION_PLAIN, 1, 1 },
	{ 1, 0x01, 0xf2, MODRM_ALL, 0xc6, INSTRUCTION_PLAIN, 0, 1 },
	{ 1, 0x01, 0, MODRM_ALL, 0xc7, INSTRUCTION_PLAIN, 0, 1 },
	/* urdmsr, uwrmsr; with memory it is enqcmd */
	{ 2, 0xf8, 0xf2, MODRM_MODE, 0xc0, INSTRUCTION_PLAIN, 0, 1 },
	{ 2, 0xf8, 0xf3, MODRM_MODE, 0xc0, INSTRUCTION_PLAIN, 0, 1 },
};

/* Operations of which all forms name memory. */
static const struct {
	uint8_t map;
	uint8_t opcode;
	uint8_t prefix;
} memory_rows[] = {
	{ 2, 0xfc, ANY },	/* aadd, aand, aor, axor */
	{ 2, 0x8a, 0 },		/* movrs */
	{ 2, 0x8b, ANY },
};

/* Immediates of 2 or 4 bytes, as the operand size says. */
static size_t operand_size(const struct x86_opcode *opcode)
{
	return opcode->prefix == 0x66 ? 2 : 4;
}

/* EVEX's map 4: APX's promotions of legacy instructions. */
static size_t promoted_immediate(const struct x86_opcode *opcode, uint8_t modrm)
{
	bool is_test = (modrm & MODRM_REG) < 0x10;

	switch (opcode->opcode) {
	case 0x24:	/* shld, shrd */
	case 0x2c:
	case 0x6b:	/* imul */
	case 0x80:	/* add, or, ..., ccmp */
	case 0x83:
	case 0xc0:	/* rol, ... */
	case 0xc1:
	case 0xd4:	/* sha1rnds4 */
		return 1;
	case 0x69:
	case 0x81:
		return operand_size(opcode);
	case 0xf6:	/* ctest */
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

/* Of VEX, map 1 has branches (Knights Corner's jkzd), and all that it has is
 * known to the library.
 */
static int read_vector_rest(struct x86_opcode *opcode,
			    struct instruction *instruction)
{
	bool is_evex = opcode->encoding == X86_EVEX;
	uint8_t modrm = x86_opcode_read_modrm(opcode);

	switch (opcode->map) {
	case 1:
		if (!is_evex)
			return -ERROR_UNSUPPORTED;
		opcode->at += has_immediate_in_map_1(opcode->opcode);
		return 1;
	case 3:
		opcode->at += 1;
		return 1;
	case 4:
		if (!is_evex)
			return -ERROR_UNSUPPORTED;
		opcode->at += promoted_immediate(opcode, modrm);
		return 1;
	case 2:
	case 5:
	case 6:
		return 1;
	case 7:	/* with the number of an MSR */
		opcode->at += 4;
		instruction->switches_trace = opcode->prefix == 0xf3 &&
					      opcode->opcode == 0xf6;
		return 1;
	default:
		return -ERROR_UNSUPPORTED;
	}
}

static int read_memory_operation(struct x86_opcode *opcode)
{
	for (size_t i = 0; i < sizeof(memory_rows) / sizeof(*memory_rows); i++)
		if (memory_rows[i].map == opcode->map &&
		    memory_rows[i].opcode == opcode->opcode &&
		    (memory_rows[i].prefix == ANY ||
		     memory_rows[i].prefix == opcode->prefix))
			return x86_opcode_read_modrm(opcode) < 0xc0 ? 1 :
							   -ERROR_UNSUPPORTED;
	return -ERROR_UNSUPPORTED;
}

static int read_legacy_rest(struct x86_opcode *opcode, bool is_64_bit,
			    struct instruction *instruction)
{
	uint8_t modrm = opcode->at < opcode->size ? opcode->bytes[opcode->at] :
						    0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].map != opcode->map ||
		    rows[i].opcode != opcode->opcode ||
		    rows[i].prefix != opcode->prefix ||
		    (modrm & rows[i].modrm_mask) != rows[i].modrm ||
		    (rows[i].is_64_bit && !is_64_bit))
			continue;
		x86_opcode_read_modrm(opcode);
		instruction->kind = (uint8_t)rows[i].kind;
		instruction->switches_trace = rows[i].switches_trace;
		return 1;
	}
	return read_memory_operation(opcode);
}

/* jmpabs, the one instruction that is there only with REX2. */
static int read_jmpabs(struct x86_opcode *opcode,
		       struct instruction *instruction)
{
	if (opcode->map != 0 || opcode->opcode != 0xa1 || opcode->is_wide ||
	    opcode->prefix || opcode->has_address_size)
		return -ERROR_UNSUPPORTED;
	opcode->at += 8;
	instruction->kind = INSTRUCTION_INDIRECT_JUMP;
	return 1;
}

static int read_rest(struct x86_opcode *opcode, enum instruction_set set,
		     struct instruction *instruction)
{
	/* Addresses of 16 bits have a ModR/M of their own, and none of these
	 * instructions is for code that has such.
	 */
	if (set == INSTRUCTION_X86_16 ||
	    (set == INSTRUCTION_X86_32 && opcode->has_address_size))
		return -ERROR_UNSUPPORTED;
	switch (opcode->encoding) {
	case X86_LEGACY:
		return read_legacy_rest(opcode, set == INSTRUCTION_X86_64,
					instruction);
	case X86_REX2:
		return read_jmpabs(opcode, instruction);
	case X86_VEX:
	case X86_EVEX:
		return read_vector_rest(opcode, instruction);
	}
	return -ERROR_UNSUPPORTED;
}

int x86_newer_read(enum instruction_set set, const uint8_t *bytes, size_t size,
		   struct instruction *instruction)
{
	struct x86_opcode opcode = { .bytes = bytes, .size = size };
	int status = x86_opcode_read(&opcode, set);

	if (status > 0 && opcode.at <= size)
		status = read_rest(&opcode, set, instruction);
	if (status < 0)
		return status;
	if (opcode.at > X86_LENGTH_LIMIT)
		return -ERROR_UNSUPPORTED;
	if (opcode.at > size)
		return 0;
	instruction->length = (uint8_t)opcode.at;
	return 1;
}
