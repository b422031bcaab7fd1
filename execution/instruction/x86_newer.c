/* SPDX-License-Identifier: MIT */
#include "execution/instruction/x86_newer.h"

#include "common/error.h"
#include "execution/instruction/x86_opcode.h"

enum {
	ANY = 0xff,	  /* prefix */
	MODRM_ALL = 0xff, /* masks */
	MODRM_REG = 0x38,
	MODRM_MODE = 0xc0,
};

/* Legacy encodings, all with a ModR/M byte. */
static const struct {
	uint8_t map;
	uint8_t opcode;
	uint8_t prefix;
	uint8_t modrm_mask;
	uint8_t modrm;
	enum instruction_kind kind;
	bool switches_trace;
	bool is_64_bit; /* only in 64-bit mode */
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
	/* urdmsr, uwrmsr; with a memory operand it is enqcmd */
	{ 2, 0xf8, 0xf2, MODRM_MODE, 0xc0, INSTRUCTION_PLAIN, 0, 1 },
	{ 2, 0xf8, 0xf3, MODRM_MODE, 0xc0, INSTRUCTION_PLAIN, 0, 1 },
};

/* Operations that always have a memory operand. */
static const struct {
	uint8_t map;
	uint8_t opcode;
	uint8_t prefix;
} memory_rows[] = {
	{ 2, 0xfc, ANY }, /* aadd, aand, aor, axor */
	{ 2, 0x8a, 0 },	  /* movrs */
	{ 2, 0x8b, ANY },
};

static int read_memory_operation(struct x86_opcode *opcode)
{
	for (size_t i = 0; i < sizeof(memory_rows) / sizeof(*memory_rows); i++)
		if (memory_rows[i].map == opcode->map &&
		    memory_rows[i].opcode == opcode->opcode &&
		    (memory_rows[i].prefix == ANY ||
		     memory_rows[i].prefix == opcode->prefix))
			return x86_opcode_read_modrm(opcode) < 0xc0 ?
				       1 :
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

/* jmpabs, the only instruction that requires REX2. */
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

/* rdmsr and wrmsrns with the MSR's number as an immediate, and the user-mode
 * variants.
 */
static int read_msr_immediate(struct x86_opcode *opcode,
			      struct instruction *instruction)
{
	if (opcode->map != 7)
		return -ERROR_UNSUPPORTED;
	x86_opcode_read_modrm(opcode);
	opcode->at += 4;
	instruction->switches_trace = opcode->prefix == 0xf3 &&
				      opcode->opcode == 0xf6;
	return 1;
}

static int read_rest(struct x86_opcode *opcode, enum instruction_set set,
		     struct instruction *instruction)
{
	if (x86_opcode_has_short_addresses(opcode, set))
		return -ERROR_UNSUPPORTED;
	switch (opcode->encoding) {
	case X86_LEGACY:
		return read_legacy_rest(opcode, set == INSTRUCTION_X86_64,
					instruction);
	case X86_REX2:
		return read_jmpabs(opcode, instruction);
	case X86_VEX:
	case X86_EVEX:
		return read_msr_immediate(opcode, instruction);
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
	return status < 0 ? status : x86_opcode_end(&opcode, instruction);
}
