/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_ETE_MEMORY_H
#define KT_MACHINE_TESTS_ETE_MEMORY_H

#include "machine/arm_ete/unit.h"

#include <stdbool.h>
#include <stdint.h>

/* Memory for a trace unit without a CPU: virtual addresses from ETE_MEMORY_BASE
 * on are mapped to physical pages in reverse order.
 */
#define ETE_MEMORY_BASE 0xffff800090000000ull
enum { ETE_MEMORY_SIZE = 1 << 22, ETE_PAGE = 4096 };

struct ete_memory {
	uint8_t bytes[ETE_MEMORY_SIZE];
	unsigned interrupts;
	struct ete_bus bus;
};

/* Clears the memory and connects @memory->bus to it. */
void ete_memory_init(struct ete_memory *memory);

/* Copies @size bytes from the virtual address @from. */
void ete_memory_copy(const struct ete_memory *memory, uint64_t from,
		     uint8_t *to, size_t size);

/* Programs @unit to trace EL0 and EL1 with TRCCONFIGR @config into the first
 * @pages pages of this memory, with TRBLIMITR's fill mode @mode.
 */
void ete_memory_start(struct ete_unit *unit, uint64_t config, unsigned pages,
		      uint64_t mode);

#endif
