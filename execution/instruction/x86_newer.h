/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_X86_NEWER_H
#define KT_EXECUTION_X86_NEWER_H

#include "execution/instruction/instruction.h"

/* Decodes the instruction at @bytes if not all releases of Zydis know it or its
 * effect on control flow: FRED's, LKGS, writes of MSRs by list, immediate or
 * without serialising, PBNDKB, user MSRs, RAO-INT, MOVRS, JMPABS.
 *
 * Sources: Architecture Instruction Set Extensions Programming Reference
 * (319433); Flexible Return and Event Delivery (346446); Advanced Performance
 * Extensions (355828), "JMPABS".
 *
 * Returns like instruction_read().
 */
int x86_newer_read(enum instruction_set set, const uint8_t *bytes, size_t size,
		   struct instruction *instruction);

#endif
