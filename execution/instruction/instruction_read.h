/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_INSTRUCTION_READ_H
#define KT_EXECUTION_INSTRUCTION_READ_H

#include "execution/instruction/instruction.h"

/* Decodes the instruction at @address, whose bytes start at @bytes; @size of
 * them are available.
 *
 * Returns 1 and *@instruction, 0 if the bytes are incomplete,
 * -ERROR_UNSUPPORTED if the instruction, and so its effect on control flow, is
 * unknown.
 */
int instruction_read(enum instruction_set set, uint64_t address,
		     const uint8_t *bytes, size_t size,
		     struct instruction *instruction);

#endif
