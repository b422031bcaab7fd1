/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ARM_ENCODING_H
#define KT_EXECUTION_ARM_ENCODING_H

#include "execution/instruction/instruction.h"

/* The instructions whose @mask bits are @bits. */
struct arm_encoding {
	uint32_t mask;
	uint32_t bits;
	enum instruction_kind kind;
	/* Returns the target of the branch @word at @address; NULL if the
	 * target is not in the instruction.
	 */
	uint64_t (*target)(uint64_t address, uint32_t word);
	bool may_take_long;
	bool is_unallocated; /* their effect is unknown */
};

/* Fills *@instruction, except its length, from the first of @count @encodings
 * that matches @word at @address; if none does, the instruction is plain.
 *
 * Returns 1, or -ERROR_UNSUPPORTED if it is unallocated.
 */
int arm_encoding_apply(const struct arm_encoding *encodings, size_t count,
		       uint64_t address, uint32_t word,
		       struct instruction *instruction);

/* Like arm_encoding_apply(), for an instruction of one word at @bytes, of which
 * @size are available; also sets the length. Also returns 0, if the word is
 * incomplete.
 */
int arm_encoding_read_word(const struct arm_encoding *encodings, size_t count,
			   uint64_t address, const uint8_t *bytes, size_t size,
			   struct instruction *instruction);

/* Returns the @bits bits of @word from bit @from as a signed number. */
int64_t arm_signed_field(uint32_t word, unsigned int from, unsigned int bits);

/* Return the 2 or 4 bytes at @bytes as a little-endian number: instructions
 * always are.
 */
uint32_t arm_halfword(const uint8_t *bytes);
uint32_t arm_word(const uint8_t *bytes);

#endif
