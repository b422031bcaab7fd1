/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_X86_VECTOR_H
#define KT_EXECUTION_X86_VECTOR_H

#include "execution/instruction/instruction.h"

/* Reads what VEX (maps 2, 3, 5, 6), EVEX (1 to 6) and APX's extension of EVEX
 * encode and no library knows yet: AVX10, newer AMX, APX.  None of it branches,
 * so that its length is all that matters, and that the encoding says.
 *
 * Sources: Intel SDM volume 2, chapter 2 and appendix A; Architecture
 * Instruction Set Extensions Programming Reference (319433); Advanced
 * Performance Extensions (355828), "Extended EVEX prefix", "EVEX map 4".
 *
 * Returns what instruction_read() does.
 */
int x86_vector_read(enum instruction_set set, const uint8_t *bytes, size_t size,
		    struct instruction *instruction);

#endif
