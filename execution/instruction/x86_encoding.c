/* SPDX-License-Identifier: MIT */
#include "execution/instruction/x86_encoding_internal.h"

#include <string.h>

#include "common/error.h"

static bool x86_is_legacy_prefix(uint8_t byte)
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

/* Reads the legacy prefixes, and returns the byte after them. f2 and f3 take
 * precedence over 66, whatever the order.
 */
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

/* Sets the prefix that VEX and EVEX encode in the two lowest bits of their
 * third byte.
 */
static void set_prefix(struct x86_opcode *opcode, uint8_t payload)
{
	static const uint8_t prefixes[] = { 0, 0x66, 0xf3, 0xf2 };

	opcode->prefix = prefixes[payload & 3];
	opcode->is_wide = payload & 0x80;
}

/* Reads VEX or EVEX, which starts with @first. Outside 64-bit mode that byte is
 * les, lds or bound, unless the two highest bits of the next byte, their
 * ModR/M, are set.
 *
 * Returns 1 or -ERROR_UNSUPPORTED.
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

/* Reads up to and including the opcode; only bytes and size must be set.
 *
 * Returns 1, or -ERROR_UNSUPPORTED if it has none of these encodings.
 */
static int x86_opcode_read(struct x86_opcode *opcode, enum instruction_set set)
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

/* Returns whether the instruction's addresses may have 16 bits, with a
 * different ModR/M format.
 */
static bool x86_opcode_has_short_addresses(const struct x86_opcode *opcode,
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

/* Returns whether @opcode may follow REX2. Some rows of the opcode maps must
 * not; in the others, legacy prefixes, REX2 itself, VEX and EVEX must not.
 */
static bool takes_rex2(uint8_t map, uint8_t opcode)
{
	uint8_t row = opcode >> 4;

	if (map)
		return row != 3 && row != 8;
	return row != 4 && row != 7 && row != 0xa && row != 0xe &&
	       !x86_is_legacy_prefix(opcode) && opcode != 0x0f &&
	       opcode != 0x62 && opcode != 0xc4 && opcode != 0xc5 &&
	       opcode != 0xd5;
}

int x86_rex2_rewrite(const uint8_t *bytes, size_t size,
		     struct x86_rewritten *rewritten)
{
	struct x86_opcode opcode = { .bytes = bytes, .size = size };
	int status = x86_opcode_read(&opcode, INSTRUCTION_X86_64);
	size_t prefixes = opcode.at - 3;
	uint8_t *out = rewritten->bytes;

	if (status < 0 || opcode.encoding != X86_REX2)
		return -ERROR_UNSUPPORTED;
	if (opcode.at > X86_LENGTH_LIMIT)
		return -ERROR_UNSUPPORTED;
	if (opcode.at > size)
		return 0;
	if (!takes_rex2(opcode.map, opcode.opcode))
		return -ERROR_UNSUPPORTED;
	if (size > X86_LENGTH_LIMIT)
		size = X86_LENGTH_LIMIT;
	memcpy(out, bytes, prefixes);
	out += prefixes;
	*out++ = 0x40 | (bytes[prefixes + 1] & 0xf);
	if (opcode.map)
		*out++ = 0x0f;
	memcpy(out, bytes + prefixes + 2, size - prefixes - 2);
	out += size - prefixes - 2;
	rewritten->size = (uint8_t)(out - rewritten->bytes);
	rewritten->removed = opcode.map ? 0 : 1;
	return 1;
}

/* Returns the size of immediates of 2 or 4 bytes, by operand size. */
static size_t operand_size(const struct x86_opcode *opcode)
{
	return opcode->prefix == 0x66 ? 2 : 4;
}

/* Returns the size of the immediate in EVEX's map 4: APX's promotions of legacy
 * instructions.
 */
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

/* Returns whether @opcode is pshufd or a shift, cmpps, pinsrw, pextrw or
 * shufps.
 */
static bool has_immediate_in_map_1(uint8_t opcode)
{
	return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
	       (opcode >= 0xc4 && opcode <= 0xc6);
}

/* Reads the rest of a VEX or EVEX instruction. With VEX, only map 1 has
 * branches (Knights Corner's jkzd), and Zydis decodes all of map 1.
 *
 * Returns 1 or -ERROR_UNSUPPORTED.
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
	bool is_64_bit; /* only in 64-bit mode */
} rows[] = {
	/* eretu, erets, lkgs */
	{ 1, 0x01, 0xf3, MODRM_ALL, 0xca, INSTRUCTION_FAR_RETURN, 1 },
	{ 1, 0x01, 0xf2, MODRM_ALL, 0xca, INSTRUCTION_FAR_RETURN, 1 },
	{ 1, 0x00, 0xf2, MODRM_REG, 0x30, INSTRUCTION_PLAIN, 1 },
	/* wrmsrns, wrmsrlist, rdmsrlist, pbndkb */
	{ 1, 0x01, 0, MODRM_ALL, 0xc6, INSTRUCTION_PLAIN, 0 },
	{ 1, 0x01, 0xf3, MODRM_ALL, 0xc6, INSTRUCTION_PLAIN, 1 },
	{ 1, 0x01, 0xf2, MODRM_ALL, 0xc6, INSTRUCTION_PLAIN, 1 },
	{ 1, 0x01, 0, MODRM_ALL, 0xc7, INSTRUCTION_PLAIN, 1 },
	/* urdmsr, uwrmsr; with a memory operand it is enqcmd */
	{ 2, 0xf8, 0xf2, MODRM_MODE, 0xc0, INSTRUCTION_PLAIN, 1 },
	{ 2, 0xf8, 0xf3, MODRM_MODE, 0xc0, INSTRUCTION_PLAIN, 1 },
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
		return 1;
	}
	return read_memory_operation(opcode);
}

/* Reads jmpabs, the only instruction that requires REX2. */
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

/* Reads rdmsr and wrmsrns with the MSR's number as an immediate, and their
 * user-mode variants.
 */
static int read_msr_immediate(struct x86_opcode *opcode)
{
	if (opcode->map != 7)
		return -ERROR_UNSUPPORTED;
	x86_opcode_read_modrm(opcode);
	opcode->at += 4;
	return 1;
}

static int read_newer_rest(struct x86_opcode *opcode, enum instruction_set set,
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
		return read_msr_immediate(opcode);
	}
	return -ERROR_UNSUPPORTED;
}

int x86_newer_read(enum instruction_set set, const uint8_t *bytes, size_t size,
		   struct instruction *instruction)
{
	struct x86_opcode opcode = { .bytes = bytes, .size = size };
	int status = x86_opcode_read(&opcode, set);

	if (status > 0 && opcode.at <= size)
		status = read_newer_rest(&opcode, set, instruction);
	return status < 0 ? status : x86_opcode_end(&opcode, instruction);
}
