/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/arm_ete/registers.h"

#include <stddef.h>

#define ONES(high, low) (~0ull >> (63 - (high)) & ~0ull << (low))

/* The writable bits of each register; a register not listed has none. Fields of
 * features that TRCIDR0 to TRCIDR5 do not announce are reserved.
 */
static const struct {
	uint16_t offset;
	uint8_t count, stride;
	uint64_t writable;
} writables[] = {
	{ TRCPRGCTLR, 1, 0, PRGCTLR_EN },
	{ TRCCONFIGR, 1, 0,
	  CONFIGR_CCI | CONFIGR_CID | CONFIGR_VMID | CONFIGR_TS | CONFIGR_RS },
	{ TRCTSCTLR, 1, 0, 0x9f },
	{ TRCSYNCPR, 1, 0, 0x1f },
	{ TRCCCCTLR, 1, 0, 0xfff },
	{ TRCTRACEIDR, 1, 0, 0x7f },
	{ TRCVICTLR, 1, 0, 0x9f | ONES(11, 9) | ONES(21, 20) },
	{ TRCVIIECTLR, 1, 0, 0x000f000f },
	{ TRCVISSCTLR, 1, 0, 0x00ff00ff },
	{ TRCCNTRLDVR0, 1, 0, 0xffff },
	{ TRCCNTCTLR0, 1, 0, 0x19f9f },
	{ TRCCNTVR0, 1, 0, 0xffff },
	{ TRCRSCTLR2, 2, 4, ONES(21, 0) },
	{ TRCACVR0, ETE_ADDRESS_COMPARATORS, 8, ~0ull },
	{ TRCACATR0, ETE_ADDRESS_COMPARATORS, 8, ONES(13, 12) | ONES(9, 8) },
};

/* The fixed values: the unit's abilities. */
static const struct {
	uint16_t offset;
	uint64_t value;
} constants[] = {
	/* TRCIDR0: cycle counting, return stack, 64-bit timestamps, and
	 * cycle counts that need no commit.
	 */
	{ 0x1e0, 1 | 1 << 7 | 1 << 9 | 8 << 24 | 1 << 29 },
	{ 0x1e4, 0x4100fff0 }, /* TRCIDR1: Arm, registers as identified */
	/* TRCIDR2: addresses of 64 bits; context and VM identifiers of 32,
	 * cycle counts of 20.
	 */
	{ 0x1e8, 8 | 4 << 5 | 4 << 10 | 8 << 25 },
	/* TRCIDR3: EL0 and EL1 of the non-secure state */
	{ 0x1ec, ETE_CYCLE_THRESHOLD_MIN | 3 << 20 },
	/* TRCIDR4: address comparators, two pairs of resource selectors */
	{ 0x1f0, ETE_ADDRESS_PAIRS | 1 << 16 },
	/* TRCIDR5: seven bits of trace ID, one counter */
	{ 0x1f4, 7 << 16 | 1 << 28 },
	{ TRCOSLSR, 1 << 4 },  /* the OS lock belongs to the CPU */
	{ 0xfb8, 3 << 2 },     /* TRCAUTHSTATUS: non-secure tracing allowed */
	{ 0xfbc, 0x47705a13 }, /* TRCDEVARCH: ETE 1.0 */
};

static uint64_t constant(unsigned offset)
{
	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
		if (constants[i].offset == offset)
			return constants[i].value;
	return 0;
}

static uint64_t writable(unsigned offset)
{
	size_t count = sizeof(writables) / sizeof(writables[0]);

	for (size_t i = 0; i < count; i++)
		for (unsigned n = 0; n < writables[i].count; n++)
			if (writables[i].offset + n * writables[i].stride ==
			    offset)
				return writables[i].writable;
	return 0;
}

void ete_registers_reset(struct ete_registers *registers)
{
	*registers = (struct ete_registers){ 0 };
}

/* While the unit is off it is idle, and the programmers' model is stable. */
static uint64_t status(const struct ete_registers *registers)
{
	return ete_register(registers, TRCPRGCTLR) & PRGCTLR_EN ? 0 : 3;
}

uint64_t ete_registers_read(const struct ete_registers *registers,
			    unsigned offset)
{
	enum { CLAIM_BITS = 0xf };

	switch (offset) {
	case TRCSTATR:
		return status(registers);
	case TRCCLAIMSET:
		return CLAIM_BITS;
	case TRCCLAIMCLR:
		return registers->claim;
	default:
		return ete_register(registers, offset) | constant(offset);
	}
}

void ete_registers_write(struct ete_registers *registers, unsigned offset,
			 uint64_t value)
{
	if (offset == TRCCLAIMSET)
		registers->claim |= value & 0xf;
	else if (offset == TRCCLAIMCLR)
		registers->claim &= ~value;
	else
		registers->values[offset / 4] = value & writable(offset);
}

/* FEAT_ETE is the field TraceVer, FEAT_TRF TraceFilt, FEAT_TRBE TraceBuffer. */
uint64_t ete_debug_features(uint64_t value)
{
	const uint64_t fields = ONES(7, 4) | ONES(43, 40) | ONES(47, 44);

	return (value & ~fields) | 1ull << 4 | 1ull << 40 | 1ull << 44;
}
