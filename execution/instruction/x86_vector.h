/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_X86_VECTOR_H
#define KT_EXECUTION_X86_VECTOR_H

#include "execution/instruction/instruction.h"

/* Decodes instructions of VEX (maps 2, 3, 5, 6), EVEX (1 to 6) and APX's
 * extension of EVEX that no library knows yet: AVX10, newer AMX, APX. None of
 * them branches, so only the length matters, and it follows from the encoding.
 *
 * Sources: Intel SDM volume 2, chapter 2 and appendix A; Architecture
 * Instruction Set Extensions Programming Reference (319433); Advanced
 * Performance Extensions (355828), "Extended EVEX prefix", "EVEX map 4".
 *
 * Returns like instruction_read().
 */
int x86_vector_read(enum instruction_set set, const uint8_t *bytes, size_t size,
		    struct instruction *instruction);

#endif
