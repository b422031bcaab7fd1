/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_A32_INSTRUCTION_H
#define KT_EXECUTION_A32_INSTRUCTION_H

#include "execution/instruction/instruction.h"

/* Reads an instruction of 32-bit Arm, 4 bytes each, as instruction_read() does,
 * into *@instruction, all of which is 0 before.
 */
int a32_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction);

#endif
