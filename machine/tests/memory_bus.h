/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_MEMORY_BUS_H
#define KT_MACHINE_TESTS_MEMORY_BUS_H

#include "machine/intel_pt/output.h"

#include <stdint.h>

/* A megabyte of physical memory at address 0, for a unit without a CPU. */
enum { MEMORY_SIZE = 1 << 20 };

struct memory_bus {
	uint8_t bytes[MEMORY_SIZE];
	unsigned interrupts;
	struct pt_bus bus;
};

/* Clears the memory and connects @memory->bus to it. */
void memory_bus_init(struct memory_bus *memory);

/* Writes entry @index of the ToPA table at @table. */
void memory_bus_topa(struct memory_bus *memory, uint64_t table, unsigned index,
		     uint64_t entry);

#endif
