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

/* An x86 instruction's opcode with the prefixes that are part of it (Intel SDM,
 * volume 2, chapter 2 and appendix A; APX specification, 355828).
 */
struct x86_opcode {
	const uint8_t *bytes;
	size_t size;
	/* index of the next byte to read, past the end if the bytes end too
	 * early
	 */
	size_t at;
	enum x86_encoding encoding;
	uint8_t map;
	uint8_t opcode;
	uint8_t prefix; /* 0x66, 0xf2, 0xf3 or 0: the mandatory prefix */
	bool is_wide;	/* W */
	bool has_address_size;
};

bool x86_is_legacy_prefix(uint8_t byte);

/* Returns the byte at @opcode->at, or 0 at the end, and advances. */
uint8_t x86_opcode_next(struct x86_opcode *opcode);

/* Reads up to and including the opcode; only bytes and size must be set.
 *
 * Returns 1, or -ERROR_UNSUPPORTED if it has none of these encodings.
 */
int x86_opcode_read(struct x86_opcode *opcode, enum instruction_set set);

/* Returns whether its addresses may have 16 bits, with a different ModR/M
 * format.
 */
bool x86_opcode_has_short_addresses(const struct x86_opcode *opcode,
				    enum instruction_set set);

/* Skips ModR/M, SIB and displacement; returns ModR/M. Only for addresses of 32
 * and 64 bits.
 */
uint8_t x86_opcode_read_modrm(struct x86_opcode *opcode);

/* Ends the instruction: sets its length. Returns 1, 0 if the bytes end before
 * it, -ERROR_UNSUPPORTED if it is too long.
 */
int x86_opcode_end(const struct x86_opcode *opcode,
		   struct instruction *instruction);

#endif
