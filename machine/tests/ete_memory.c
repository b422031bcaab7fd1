/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/ete_memory.h"

#include <string.h>

static bool translate(void *machine, uint64_t address, uint64_t *physical)
{
	(void)machine;
	if (address < ETE_MEMORY_BASE ||
	    address >= ETE_MEMORY_BASE + ETE_MEMORY_SIZE)
		return false;
	*physical = ETE_MEMORY_SIZE - ETE_PAGE - (address - ETE_MEMORY_BASE);
	return true;
}

static bool write_memory(void *machine, uint64_t physical, const void *bytes,
			 size_t size)
{
	struct ete_memory *memory = machine;

	if (physical > ETE_MEMORY_SIZE || size > ETE_MEMORY_SIZE - physical)
		return false;
	memcpy(memory->bytes + physical, bytes, size);
	return true;
}

static void interrupt(void *machine)
{
	struct ete_memory *memory = machine;

	memory->interrupts++;
}

void ete_memory_init(struct ete_memory *memory)
{
	memset(memory, 0, sizeof(*memory));
	memory->bus = (struct ete_bus){ translate, write_memory, interrupt,
					memory };
}

void ete_memory_copy(const struct ete_memory *memory, uint64_t from,
		     uint8_t *to, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		uint64_t at = from + i - ETE_MEMORY_BASE;
		uint64_t page = at / ETE_PAGE * ETE_PAGE;

		to[i] = memory->bytes[ETE_MEMORY_SIZE - ETE_PAGE - page +
				      at % ETE_PAGE];
	}
}

void ete_memory_start(struct ete_unit *unit, uint64_t config, unsigned pages,
		      uint64_t mode)
{
	const struct ete_time time = { .known = true };
	const uint64_t limit = ETE_MEMORY_BASE + pages * ETE_PAGE;

	ete_unit_write_buffer(unit, TRBBASER_EL1, ETE_MEMORY_BASE);
	ete_unit_write_buffer(unit, TRBPTR_EL1, ETE_MEMORY_BASE);
	ete_unit_write_buffer(unit, TRBLIMITR_EL1, limit | mode | TRBLIMITR_E);
	ete_unit_write(unit, TRCCONFIGR, config, &time);
	ete_unit_write(unit, TRCTSCTLR, 1, &time);
	ete_unit_write(unit, TRCSYNCPR, ETE_SYNC_PERIOD_MIN, &time);
	ete_unit_write(unit, TRCVICTLR, VICTLR_SSSTATUS | 1, &time);
	ete_unit_write(unit, TRCPRGCTLR, PRGCTLR_EN, &time);
	ete_unit_write_permission(unit, TRFCR_E0TRE | TRFCR_E1TRE);
}
