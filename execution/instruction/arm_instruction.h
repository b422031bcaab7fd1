/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_INSTRUCTION_ARM_INSTRUCTION_H
#define KT_EXECUTION_INSTRUCTION_ARM_INSTRUCTION_H

#include "execution/instruction/instruction.h"

/* Returns the 4 bytes at @bytes as a little-endian number: instructions always
 * are, whatever the order of data.
 */
uint32_t arm_word(const uint8_t *bytes);

/* Decodes an instruction of 64-bit Arm into *@instruction, which must be
 * zeroed. Like instruction_read().
 */
int a64_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction);

/* Decodes an instruction of 32-bit Arm, 4 bytes each, into *@instruction, which
 * must be zeroed. Like instruction_read().
 */
int a32_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction);

/* Decodes an instruction of 32-bit Arm, 2 or 4 bytes each (Thumb), into
 * *@instruction, which must be zeroed. Like instruction_read().
 */
int t32_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction);

#endif
