/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_target.h"

/* The signed field of @bits bits of @opcode whose lowest is bit @low, in
 * instructions of four bytes.
 */
static uint64_t field(uint32_t opcode, unsigned int low, unsigned int bits)
{
	uint64_t value = opcode >> low & ((UINT64_C(1) << bits) - 1);
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return ((value ^ sign) - sign) * 4;
}

static const struct {
	ocsd_isa isa;
	uint32_t mask;
	uint32_t value;
	unsigned int low, bits, pipeline;
} branches[] = {
	{ ocsd_isa_aarch64, 0x7c000000, 0x14000000, 0, 26, 0 },	/* B, BL */
	{ ocsd_isa_aarch64, 0xff000000, 0x54000000, 5, 19, 0 },	/* B.cond */
	{ ocsd_isa_aarch64, 0x7e000000, 0x34000000, 5, 19, 0 },	/* CBZ */
	{ ocsd_isa_aarch64, 0x7e000000, 0x36000000, 5, 14, 0 },	/* TBZ */
	{ ocsd_isa_arm, 0xfe000000, 0xfa000000, 0, 0, 0 },	/* BLX */
	{ ocsd_isa_arm, 0x0e000000, 0x0a000000, 0, 24, 8 },	/* B, BL */
};

uint32_t coresight_opcode(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
	       (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

bool coresight_target(ocsd_isa isa, uint64_t address, const uint8_t *bytes,
		      size_t size, uint64_t *target)
{
	uint32_t opcode;
	size_t i = 0;

	if (size < 4)
		return false;
	opcode = coresight_opcode(bytes);
	while (i < sizeof(branches) / sizeof(*branches) &&
	       (branches[i].isa != isa ||
		(opcode & branches[i].mask) != branches[i].value))
		i++;
	if (i == sizeof(branches) / sizeof(*branches) || !branches[i].bits)
		return false;
	*target = address + branches[i].pipeline +
		  field(opcode, branches[i].low, branches[i].bits);
	return true;
}
