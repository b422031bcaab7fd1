/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_T32_INSTRUCTION_H
#define KT_EXECUTION_T32_INSTRUCTION_H

#include "execution/instruction/instruction.h"

/* Decodes an instruction of 32-bit Arm, 2 or 4 bytes each (Thumb), into
 * *@instruction, which must be zeroed. Like instruction_read().
 */
int t32_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction);

#endif
