/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_X86_OPCODE_H
#define KT_EXECUTION_X86_OPCODE_H

#include "execution/instruction/instruction.h"

enum { X86_LENGTH_LIMIT = 15 };

enum x86_encoding {
	X86_LEGACY, /* in the maps 0f (1) and 0f 38 (2) */
	X86_REX2,
	X86_VEX, /* of three bytes */
	X86_EVEX,
};

/* Where an x86 instruction's opcode is, and what says which it is (Intel SDM,
 * volume 2, chapter 2 and appendix A; APX specification, 355828).
 */
struct x86_opcode {
	const uint8_t *bytes;
	size_t size;
	size_t at; /* what is read next, beyond the end if the
				 * bytes end too early */
	enum x86_encoding encoding;
	uint8_t map;
	uint8_t opcode;
	uint8_t prefix; /* 0x66, 0xf2, 0xf3 or 0: which is part of it */
	bool is_wide;	/* W */
	bool has_address_size;
};

bool x86_is_legacy_prefix(uint8_t byte);

/* Returns the byte at @opcode->at, or 0 if that is the end, and goes behind it. */
uint8_t x86_opcode_next(struct x86_opcode *opcode);

/* Reads up to and with the opcode; before, only bytes and size are set.
 *
 * Returns 1, or -ERROR_UNSUPPORTED: it is not encoded in one of these ways.
 */
int x86_opcode_read(struct x86_opcode *opcode, enum instruction_set set);

/* Returns whether its addresses may have 16 bits, and a ModR/M of their own. */
bool x86_opcode_has_short_addresses(const struct x86_opcode *opcode,
				    enum instruction_set set);

/* Goes behind ModR/M, SIB and displacement; returns ModR/M.  Only for
 * addresses of 32 and 64 bits.
 */
uint8_t x86_opcode_read_modrm(struct x86_opcode *opcode);

/* Ends the instruction: sets its length.  Returns 1, 0 if the bytes end before
 * it, -ERROR_UNSUPPORTED if it is too long.
 */
int x86_opcode_end(const struct x86_opcode *opcode,
		   struct instruction *instruction);

#endif
