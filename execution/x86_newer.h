/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_X86_NEWER_H
#define KT_EXECUTION_X86_NEWER_H

#include "execution/instruction.h"

/* Reads the instruction at @bytes if it is one that Zydis 4.0 does not know:
 * FRED, LKGS, MSR lists and immediate MSRs, PBNDKB, user MSRs, RAO-INT, MOVRS,
 * JMPABS; and whatever VEX, EVEX and APX's extension of it encode, which are
 * no branches, so that their length is all that matters.
 *
 * Sources: Intel SDM volume 2, appendix A; Architecture Instruction Set
 * Extensions Programming Reference (319433); Advanced Performance Extensions
 * (355828), "EVEX prefix", "REX2 prefix", "JMPABS"; FRED (346446).
 *
 * Returns what instruction_read() does.
 */
int x86_newer_read(enum instruction_set set, const uint8_t *bytes, size_t size,
		   struct instruction *instruction);

#endif
