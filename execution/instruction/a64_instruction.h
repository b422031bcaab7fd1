/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_A64_INSTRUCTION_H
#define KT_EXECUTION_A64_INSTRUCTION_H

#include "execution/instruction/instruction.h"

/* Decodes an instruction of 64-bit Arm into *@instruction, which must be
 * zeroed. Like instruction_read().
 */
int a64_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction);

#endif
