/* SPDX-License-Identifier: MIT */
#include "execution/instruction/x86_rex2.h"

#include "common/error.h"
#include "execution/instruction/x86_opcode.h"

#include <string.h>

/* Rows of the opcode maps that must not follow REX2; in the remaining rows,
 * legacy prefixes, REX2 itself, VEX and EVEX must not follow either.
 */
static bool takes_rex2(uint8_t map, uint8_t opcode)
{
	uint8_t row = opcode >> 4;

	if (map)
		return row != 3 && row != 8;
	return row != 4 && row != 7 && row != 0xa && row != 0xe &&
	       !x86_is_legacy_prefix(opcode) && opcode != 0x0f &&
	       opcode != 0x62 && opcode != 0xc4 && opcode != 0xc5 &&
	       opcode != 0xd5;
}

int x86_rex2_rewrite(const uint8_t *bytes, size_t size,
		     struct x86_rewritten *rewritten)
{
	struct x86_opcode opcode = { .bytes = bytes, .size = size };
	int status = x86_opcode_read(&opcode, INSTRUCTION_X86_64);
	size_t prefixes = opcode.at - 3;
	uint8_t *out = rewritten->bytes;

	if (status < 0 || opcode.encoding != X86_REX2)
		return -ERROR_UNSUPPORTED;
	if (opcode.at > X86_LENGTH_LIMIT)
		return -ERROR_UNSUPPORTED;
	if (opcode.at > size)
		return 0;
	if (!takes_rex2(opcode.map, opcode.opcode))
		return -ERROR_UNSUPPORTED;
	if (size > X86_LENGTH_LIMIT)
		size = X86_LENGTH_LIMIT;
	memcpy(out, bytes, prefixes);
	out += prefixes;
	*out++ = 0x40 | (bytes[prefixes + 1] & 0xf);
	if (opcode.map)
		*out++ = 0x0f;
	memcpy(out, bytes + prefixes + 2, size - prefixes - 2);
	out += size - prefixes - 2;
	rewritten->size = (uint8_t)(out - rewritten->bytes);
	rewritten->removed = opcode.map ? 0 : 1;
	return 1;
}
