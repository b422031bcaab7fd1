/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INSTRUCTION_LENGTH_H
#define KT_DECODER_INSTRUCTION_LENGTH_H

#include <stddef.h>
#include <stdint.h>

/* Returns the length in bytes of the x86 instruction at the start of @bytes, in
 * 64-bit mode; 0 if it exceeds @size, or is VEX or EVEX coded, which is not
 * needed (Intel SDM, volume 2, appendix A: opcode maps).
 */
size_t instruction_length(const uint8_t *bytes, size_t size);

#endif
