/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_INSTRUCTION_PARTS_H
#define KT_EXECUTION_INSTRUCTION_PARTS_H

#include "execution/instruction/instruction.h"

/* The readers behind instruction_read(), which sets all of *@instruction to 0
 * first; they return the same.
 */
int x86_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction);
int a64_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction);
int a32_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction);
int t32_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction);

#endif
