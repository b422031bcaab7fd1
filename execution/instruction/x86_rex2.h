/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_X86_REX2_H
#define KT_EXECUTION_X86_REX2_H

#include "execution/instruction/x86_opcode.h"

/* An instruction rewritten with REX instead of REX2: its registers differ, its
 * length differs by @removed bytes.
 */
struct x86_rewritten {
	uint8_t bytes[X86_LENGTH_LIMIT];
	uint8_t size;
	uint8_t removed;
};

/* Rewrites the 64-bit instruction at @bytes, which may be incomplete.
 *
 * Returns 1 and *@rewritten, 0 if the bytes end too early, -ERROR_UNSUPPORTED
 * if it has no REX2 prefix, or must not have one.
 */
int x86_rex2_rewrite(const uint8_t *bytes, size_t size,
		     struct x86_rewritten *rewritten);

#endif
