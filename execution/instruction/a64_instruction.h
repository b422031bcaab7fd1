/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_A64_INSTRUCTION_H
#define KT_EXECUTION_A64_INSTRUCTION_H

#include "execution/instruction/instruction.h"

/* Reads an instruction of 64-bit Arm, as instruction_read() does, into
 * *@instruction, all of which is 0 before.
 */
int a64_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction);

#endif
