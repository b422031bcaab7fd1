/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ARM_ETE_REGISTERS_H
#define KT_MACHINE_ARM_ETE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

/* The trace unit's system registers of one CPU (TRC*), by their offset in the
 * external interface: op0 = 2, op1 = 1, and offset / 4 is CRn[2:0], op2, CRm
 * (Arm ARM, "System register encodings of the trace unit").
 */
enum ete_register {
	TRCPRGCTLR = 0x004,
	TRCSTATR = 0x00c,
	TRCCONFIGR = 0x010,
	TRCTSCTLR = 0x030,
	TRCSYNCPR = 0x034,
	TRCCCCTLR = 0x038,
	TRCTRACEIDR = 0x040,
	TRCVICTLR = 0x080,
	TRCVIIECTLR = 0x084,
	TRCVISSCTLR = 0x088,
	TRCCNTRLDVR0 = 0x140,
	TRCCNTCTLR0 = 0x150,
	TRCCNTVR0 = 0x160,
	TRCIDR0 = 0x1e0,
	TRCIDR1 = 0x1e4,
	TRCIDR2 = 0x1e8,
	TRCIDR3 = 0x1ec,
	TRCIDR4 = 0x1f0,
	TRCIDR5 = 0x1f4,
	TRCRSCTLR2 = 0x208,
	TRCRSCTLR3 = 0x20c,
	TRCOSLSR = 0x304,
	TRCACVR0 = 0x400,  /* eight bytes apart */
	TRCACATR0 = 0x480, /* eight bytes apart */
	TRCCLAIMSET = 0xfa0,
	TRCCLAIMCLR = 0xfa4,
};

#define PRGCTLR_EN (1ull << 0)

#define CONFIGR_CCI (1ull << 4)
#define CONFIGR_CID (1ull << 6)
#define CONFIGR_VMID (1ull << 7)
#define CONFIGR_TS (1ull << 11)
#define CONFIGR_RS (1ull << 12)

#define VICTLR_EVENT 0xffull
#define VICTLR_SSSTATUS (1ull << 9)
#define VICTLR_NOT_EL0 (1ull << 20)
#define VICTLR_NOT_EL1 (1ull << 21)

/* TRFCR_EL1: the exception levels that may be traced. */
#define TRFCR_E0TRE (1ull << 0)
#define TRFCR_E1TRE (1ull << 1)

enum {
	ETE_ADDRESS_PAIRS = 4,
	ETE_ADDRESS_COMPARATORS = 2 * ETE_ADDRESS_PAIRS,
	ETE_CYCLE_THRESHOLD_MIN = 4,
	ETE_SYNC_PERIOD_MIN = 8, /* as a power of two, bytes */
	ETE_REGISTERS = 1024,
};

struct ete_registers {
	uint64_t values[ETE_REGISTERS];
	uint64_t trfcr;
	uint64_t claim;
	unsigned removed; /* abilities, by their bits */
};

void ete_registers_reset(struct ete_registers *registers);

/* Adds the ability @name, of the option without=NAME, to those in *@removed.
 * Returns false if there is none of that name.
 */
bool ete_abilities_remove(unsigned *removed, const char *name);

/* Software's accesses. Missing registers and reserved bits read as zero and
 * ignore writes.
 */
uint64_t ete_registers_read(const struct ete_registers *registers,
			    unsigned offset);
void ete_registers_write(struct ete_registers *registers, unsigned offset,
			 uint64_t value);

static inline uint64_t ete_register(const struct ete_registers *registers,
				    unsigned offset)
{
	return registers->values[offset / 4];
}

/* Returns ID_AA64DFR0_EL1 with the trace unit; @value is the register without
 * it.
 */
uint64_t ete_debug_features(uint64_t value);

#endif
