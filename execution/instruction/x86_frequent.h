/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_X86_FREQUENT_H
#define KT_EXECUTION_X86_FREQUENT_H

#include "execution/instruction/instruction.h"

/* Reads the instructions of 64-bit code that compilers use most, nine of ten, in a
 * tenth of the library's time, and says of them what that says.
 *
 * Returns false if it is another, or the bytes end before it does.
 */
bool x86_frequent_read(uint64_t address, const uint8_t *bytes, size_t size,
		       struct instruction *instruction);

#endif
