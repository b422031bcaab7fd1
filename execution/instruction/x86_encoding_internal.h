/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_INSTRUCTION_X86_ENCODING_INTERNAL_H
#define KT_EXECUTION_INSTRUCTION_X86_ENCODING_INTERNAL_H

#include "execution/instruction/instruction.h"

/* Instructions that Zydis does not decode: neither Debian 12's (4.0.0) nor Debian
 * 13's (4.1.1) has APX (REX2, EVEX map 4) and the newer AVX10. x86_encoding.c can
 * go when the oldest supported Debian has a release of Zydis with all that
 * tests/execution/test_instruction.c decodes by it.
 */

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

/* Returns the byte at @opcode->at, or 0 at the end, and advances. */
uint8_t x86_opcode_next(struct x86_opcode *opcode);

/* Skips ModR/M, SIB and displacement; returns ModR/M. Only for addresses of 32
 * and 64 bits.
 */
uint8_t x86_opcode_read_modrm(struct x86_opcode *opcode);

/* Ends the instruction: sets its length. Returns 1, 0 if the bytes end before
 * it, -ERROR_UNSUPPORTED if it is too long.
 */
int x86_opcode_end(const struct x86_opcode *opcode,
		   struct instruction *instruction);

/* An instruction rewritten with REX instead of REX2: its registers differ, and
 * it is shorter by removed bytes.
 */
struct x86_rewritten {
	uint8_t bytes[X86_LENGTH_LIMIT];
	uint8_t size;
	uint8_t removed;
};

/* Rewrites the 64-bit instruction at @bytes, which may be incomplete.
 *
 * Returns 1 and *@rewritten, 0 if the bytes end too early, -ERROR_UNSUPPORTED
 * if it has no REX2 prefix, or must not have one.
 */
int x86_rex2_rewrite(const uint8_t *bytes, size_t size,
		     struct x86_rewritten *rewritten);

/* Decodes instructions of VEX (maps 2, 3, 5, 6), EVEX (1 to 6) and APX's
 * extension of EVEX that no library knows yet: AVX10, newer AMX, APX. None of
 * them branches, so only the length matters, and it follows from the encoding.
 *
 * Sources: Intel SDM volume 2, chapter 2 and appendix A; Architecture
 * Instruction Set Extensions Programming Reference (319433); Advanced
 * Performance Extensions (355828), "Extended EVEX prefix", "EVEX map 4".
 *
 * Returns like instruction_read().
 */
int x86_vector_read(enum instruction_set set, const uint8_t *bytes, size_t size,
		    struct instruction *instruction);

/* Decodes the instruction at @bytes if not all releases of Zydis know it or its
 * effect on control flow: FRED's, LKGS, writes of MSRs by list, immediate or
 * without serialising, PBNDKB, user MSRs, RAO-INT, MOVRS, JMPABS.
 *
 * Sources: Architecture Instruction Set Extensions Programming Reference
 * (319433); Flexible Return and Event Delivery (346446); Advanced Performance
 * Extensions (355828), "JMPABS".
 *
 * Returns like instruction_read().
 */
int x86_newer_read(enum instruction_set set, const uint8_t *bytes, size_t size,
		   struct instruction *instruction);

#endif
