/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_X86_INSTRUCTION_H
#define KT_EXECUTION_X86_INSTRUCTION_H

#include "execution/instruction/instruction.h"

/* Reads an instruction of x86, in 16, 32 or 64 bits, as instruction_read() does,
 * into *@instruction, all of which is 0 before.
 */
int x86_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction);

#endif
