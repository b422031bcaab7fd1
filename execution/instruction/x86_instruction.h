/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_X86_INSTRUCTION_H
#define KT_EXECUTION_X86_INSTRUCTION_H

#include "execution/instruction/instruction.h"

/* Decodes an x86 instruction of 16, 32 or 64 bits into *@instruction, which
 * must be zeroed. Like instruction_read().
 */
int x86_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction);

#endif
