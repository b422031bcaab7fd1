/* SPDX-License-Identifier: MIT */
#include "decoder/near_branch.h"

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf2:
	case 0xf3:
		return true;
	default:
		return (byte & 0xf0) == 0x40;	/* REX */
	}
}

/* Returns the size of ModR/M with what it asks for: SIB, displacement. */
static size_t modrm_size(const uint8_t *bytes, size_t size)
{
	uint8_t mode = bytes[0] >> 6;
	uint8_t base = bytes[0] & 7;
	size_t length = 1;

	if (mode == 3)
		return length;
	if (base == 4) {
		if (size < 2)
			return 0;
		base = bytes[1] & 7;
		length++;
	}
	if (mode == 1)
		return length + 1;
	if (mode == 2 || base == 5)
		return length + 4;
	return length;
}

struct near_branch near_branch_read(const uint8_t *bytes, size_t size)
{
	struct near_branch branch = { 0 };
	size_t at = 0;

	while (at < size && is_prefix(bytes[at]))
		at++;
	if (at == size)
		return branch;
	switch (bytes[at]) {
	case 0xe8:
	case 0xe9:
		branch.length = (uint8_t)(at + 5);
		break;
	case 0xeb:
		branch.length = (uint8_t)(at + 2);
		break;
	case 0xff:
		branch.is_indirect = true;
		at++;
		if (at < size)
			branch.length = (uint8_t)(
				at + modrm_size(bytes + at, size - at));
		break;
	default:
		break;
	}
	if (branch.length > 15)
		branch.length = 0;
	return branch;
}
