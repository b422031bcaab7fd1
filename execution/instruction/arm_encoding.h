/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ARM_ENCODING_H
#define KT_EXECUTION_ARM_ENCODING_H

#include "execution/instruction/instruction.h"

/* The instructions whose @mask bits are @bits. */
struct arm_encoding {
	uint32_t mask;
	uint32_t bits;
	enum instruction_kind kind;
	/* Returns where the branch @word at @address goes; NULL where the
	 * instruction does not say so.
	 */
	uint64_t (*target)(uint64_t address, uint32_t word);
	bool may_take_long;
	bool is_unallocated; /* nobody knows what they do */
};

/* Fills *@instruction, except for its length, with what @word at @address is by
 * the first of @count @encodings that fits; if none does, it is plain.
 *
 * Returns 1, or -ERROR_UNSUPPORTED if it is unallocated.
 */
int arm_encoding_apply(const struct arm_encoding *encodings, size_t count,
		       uint64_t address, uint32_t word,
		       struct instruction *instruction);

/* The same for an instruction of one word at @bytes, of which there are @size,
 * with its length.  Returns 0, too, if the word is not all there.
 */
int arm_encoding_read_word(const struct arm_encoding *encodings, size_t count,
			   uint64_t address, const uint8_t *bytes, size_t size,
			   struct instruction *instruction);

/* Returns the @bits bits of @word from bit @from as a signed number. */
int64_t arm_signed_field(uint32_t word, unsigned int from, unsigned int bits);

/* Returns the 2 or 4 bytes at @bytes, of which instructions are always the
 * little end first.
 */
uint32_t arm_halfword(const uint8_t *bytes);
uint32_t arm_word(const uint8_t *bytes);

#endif
