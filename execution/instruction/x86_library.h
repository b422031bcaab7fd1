/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_X86_LIBRARY_H
#define KT_EXECUTION_X86_LIBRARY_H

#include "execution/instruction/instruction.h"

/* Decodes an instruction with Zydis. Like instruction_read(). */
int x86_library_read(enum instruction_set set, uint64_t address,
		     const uint8_t *bytes, size_t size,
		     struct instruction *instruction);

#endif
