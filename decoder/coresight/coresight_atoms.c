/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_atoms.h"

static struct coresight_atoms mispredicted(uint8_t header)
{
	enum { CANCEL_F3 = 0x38 };
	static const struct coresight_atoms atoms[] = {
		{ 0, 0 },
		{ 1, 1 },
		{ 3, 2 },
		{ 0, 1 },
	};

	return atoms[header & (header >= CANCEL_F3 ? 1 : 3)];
}

/* Formats 2, 4 and 5: 0xd5 to 0xdf. */
static struct coresight_atoms few(uint8_t header)
{
	static const struct coresight_atoms atoms[] = {
		{ 0x00, 5 }, { 0x0a, 5 }, { 0x15, 5 }, { 0x0, 2 },
		{ 0x1, 2 },  { 0x2, 2 },  { 0x3, 2 },  { 0xe, 4 },
		{ 0x0, 4 },  { 0xa, 4 },  { 0x5, 4 },
	};

	return atoms[header - 0xd5];
}

/* Format 6: executed branches, and a last atom given by bit 5. */
static struct coresight_atoms many(uint8_t header)
{
	uint8_t count = (header & 0x1f) + 4;
	uint32_t last = header >> 5 & 1 ? UINT32_C(1) << (count - 1) : 0;
	uint32_t all = (UINT32_C(1) << count) - 1;

	return (struct coresight_atoms){ all ^ last, count };
}

struct coresight_atoms coresight_atoms_of(uint8_t header)
{
	if (header < 0xc0)
		return mispredicted(header);
	if (header >= 0xf8)
		return (struct coresight_atoms){ header & 7, 3 };
	if (header >= 0xf6)
		return (struct coresight_atoms){ header & 1, 1 };
	if (header == 0xf5)
		return (struct coresight_atoms){ 0x1e, 5 };
	return header >= 0xd5 && header < 0xe0 ? few(header) : many(header);
}
