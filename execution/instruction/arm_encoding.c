/* SPDX-License-Identifier: MIT */
#include "execution/instruction/arm_encoding.h"

#include "common/error.h"

/* If the target is independent of the word, it is the next instruction: a
 * barrier.
 */
static void take_target(const struct arm_encoding *encoding, uint64_t address,
			uint32_t word, struct instruction *instruction)
{
	instruction->target = encoding->target(address, word);
	instruction->is_barrier = encoding->target(address, ~word) ==
				  instruction->target;
}

int arm_encoding_apply(const struct arm_encoding *encodings, size_t count,
		       uint64_t address, uint32_t word,
		       struct instruction *instruction)
{
	for (size_t i = 0; i < count; i++) {
		const struct arm_encoding *encoding = &encodings[i];

		if ((word & encoding->mask) != encoding->bits)
			continue;
		if (encoding->is_unallocated)
			return -ERROR_UNSUPPORTED;
		instruction->kind = (uint8_t)encoding->kind;
		instruction->may_take_long = encoding->may_take_long;
		if (encoding->target)
			take_target(encoding, address, word, instruction);
		return 1;
	}
	return 1;
}

int64_t arm_signed_field(uint32_t word, unsigned int from, unsigned int bits)
{
	uint64_t field = word >> from & ((UINT64_C(1) << bits) - 1);
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return (int64_t)((field ^ sign) - sign);
}

uint32_t arm_halfword(const uint8_t *bytes)
{
	return (uint32_t)(bytes[0] | bytes[1] << 8);
}

uint32_t arm_word(const uint8_t *bytes)
{
	return arm_halfword(bytes) | arm_halfword(bytes + 2) << 16;
}

int arm_encoding_read_word(const struct arm_encoding *encodings, size_t count,
			   uint64_t address, const uint8_t *bytes, size_t size,
			   struct instruction *instruction)
{
	if (size < 4)
		return 0;
	instruction->length = 4;
	return arm_encoding_apply(encodings, count, address, arm_word(bytes),
				  instruction);
}
