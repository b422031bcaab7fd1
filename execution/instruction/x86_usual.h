/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_X86_USUAL_H
#define KT_EXECUTION_X86_USUAL_H

#include "execution/instruction/instruction.h"

/* Reads the 64-bit instruction at @bytes if it is one of those that most code is
 * made of, with no prefix but REX, and as many bytes are there as the longest
 * has: the library takes ten times as long.  Fills in what it does to the flow.
 *
 * Source: Intel SDM, volume 2, appendix A, "Opcode Map".
 *
 * Returns whether it is one.
 */
bool x86_usual_read(uint64_t address, const uint8_t *bytes, size_t size,
		    struct instruction *instruction);

#endif
