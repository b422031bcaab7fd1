/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/arm_ete/registers.h"

#include <stddef.h>
#include <string.h>

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
	/* cycle counting, return stack, 64-bit timestamps, and
	 * cycle counts that need no commit.
	 */
	{ TRCIDR0, 1 | 1 << 7 | 1 << 9 | 8 << 24 | 1 << 29 },
	{ TRCIDR1, 0x4100fff0 }, /* Arm, registers as identified */
	/* addresses of 64 bits; context and VM identifiers of 32,
	 * cycle counts of 20.
	 */
	{ TRCIDR2, 8 | 4 << 5 | 4 << 10 | 8 << 25 },
	/* EL0 and EL1 of the non-secure state */
	{ TRCIDR3, ETE_CYCLE_THRESHOLD_MIN | 3 << 20 },
	/* address comparators, two pairs of resource selectors */
	{ TRCIDR4, ETE_ADDRESS_PAIRS | 1 << 16 },
	/* seven bits of trace ID, one counter */
	{ TRCIDR5, 7 << 16 | 1 << 28 },
	{ TRCOSLSR, 1 << 4 },  /* the OS lock belongs to the CPU */
	{ 0xfb8, 3 << 2 },     /* TRCAUTHSTATUS: non-secure tracing allowed */
	{ 0xfbc, 0x47705a13 }, /* TRCDEVARCH: ETE 1.0 */
};

/* Abilities that a unit may lack: the field that announces it, and the bits
 * that software can then not write.
 */
static const struct {
	const char *name;
	uint16_t identification;
	uint16_t control;
	uint64_t field;
	uint64_t bits;
} abilities[] = {
	{ "cycles", TRCIDR0, TRCCONFIGR, 1 << 7, CONFIGR_CCI },
	{ "return-stack", TRCIDR0, TRCCONFIGR, 1 << 9, CONFIGR_RS },
	{ "timestamps", TRCIDR0, TRCCONFIGR, ONES(28, 24), CONFIGR_TS },
	{ "context-id", TRCIDR2, TRCCONFIGR, ONES(9, 5), CONFIGR_CID },
	{ "filters", TRCIDR4, TRCVIIECTLR, ONES(3, 0), ~0ull },
};

enum { ABILITIES = sizeof(abilities) / sizeof(abilities[0]) };

bool ete_abilities_remove(unsigned *removed, const char *name)
{
	for (unsigned i = 0; i < ABILITIES; i++)
		if (!strcmp(abilities[i].name, name)) {
			*removed |= 1u << i;
			return true;
		}
	return false;
}

/* Returns the bits of a register that belong to abilities that were removed. */
static uint64_t missing(const struct ete_registers *registers, unsigned offset)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < ABILITIES; i++) {
		if (!(registers->removed >> i & 1))
			continue;
		if (abilities[i].identification == offset)
			bits |= abilities[i].field;
		if (abilities[i].control == offset)
			bits |= abilities[i].bits;
	}
	return bits;
}

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
		return ete_register(registers, offset) |
		       (constant(offset) & ~missing(registers, offset));
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
		registers->values[offset / 4] = value & writable(offset) &
						~missing(registers, offset);
}

/* FEAT_ETE is the field TraceVer, FEAT_TRF TraceFilt, FEAT_TRBE TraceBuffer. */
uint64_t ete_debug_features(uint64_t value)
{
	const uint64_t fields = ONES(7, 4) | ONES(43, 40) | ONES(47, 44);

	return (value & ~fields) | 1ull << 4 | 1ull << 40 | 1ull << 44;
}
