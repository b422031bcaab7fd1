/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/memory_bus.h"

#include <string.h>

static bool inside(uint64_t address, size_t size)
{
	return address <= MEMORY_SIZE && size <= MEMORY_SIZE - address;
}

static bool read_memory(void *machine, uint64_t address, void *bytes,
			size_t size)
{
	struct memory_bus *memory = machine;

	if (!inside(address, size))
		return false;
	memcpy(bytes, memory->bytes + address, size);
	return true;
}

static bool write_memory(void *machine, uint64_t address, const void *bytes,
			 size_t size)
{
	struct memory_bus *memory = machine;

	if (!inside(address, size))
		return false;
	memcpy(memory->bytes + address, bytes, size);
	return true;
}

static void count_interrupt(void *machine)
{
	struct memory_bus *memory = machine;

	memory->interrupts++;
}

void memory_bus_init(struct memory_bus *memory)
{
	memset(memory, 0, sizeof(*memory));
	memory->bus = (struct pt_bus){ read_memory, write_memory,
				       count_interrupt, memory };
}

void memory_bus_topa(struct memory_bus *memory, uint64_t table, unsigned index,
		     uint64_t entry)
{
	memcpy(memory->bytes + table + index * sizeof(entry), &entry,
	       sizeof(entry));
}
