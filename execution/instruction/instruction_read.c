/* SPDX-License-Identifier: MIT */
#include "execution/instruction/instruction_read.h"

#include "execution/instruction/arm_instruction.h"
#include "execution/instruction/x86_instruction_internal.h"

int instruction_read(enum instruction_set set, uint64_t address,
		     const uint8_t *bytes, size_t size,
		     struct instruction *instruction)
{
	static int (*const readers[])(enum instruction_set, uint64_t,
				      const uint8_t *, size_t,
				      struct instruction *) = {
		[INSTRUCTION_X86_16] = x86_instruction_read,
		[INSTRUCTION_X86_32] = x86_instruction_read,
		[INSTRUCTION_X86_64] = x86_instruction_read,
		[INSTRUCTION_A64] = a64_instruction_read,
		[INSTRUCTION_A32] = a32_instruction_read,
		[INSTRUCTION_T32] = t32_instruction_read,
	};

	*instruction = (struct instruction){ 0 };
	return readers[set](set, address, bytes, size, instruction);
}
