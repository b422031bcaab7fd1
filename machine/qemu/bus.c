/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/bus.h"
#include "machine/qemu/dump.h"

static bool read_memory(void *machine, uint64_t address, void *bytes,
			size_t size)
{
	struct vcpu *vcpu = machine;

	return guest_read_physical(&vcpu->guest, address, bytes, size);
}

static bool write_memory(void *machine, uint64_t address, const void *bytes,
			 size_t size)
{
	struct vcpu *vcpu = machine;

	dump_write(vcpu->dump, bytes, size);
	return guest_write_physical(&vcpu->guest, address, bytes, size);
}

static void raise_interrupt(void *machine)
{
	struct vcpu *vcpu = machine;

	perfmon_topa_interrupt(&vcpu->perfmon, &vcpu->guest);
}

void bus_init(struct pt_bus *bus, struct vcpu *vcpu, const char *dump_dir,
	      unsigned index)
{
	*bus = (struct pt_bus){ read_memory, write_memory, raise_interrupt,
				vcpu };
	vcpu->dump = dump_open(dump_dir, index);
}

void bus_close(struct vcpu *vcpu)
{
	dump_close(vcpu->dump);
	vcpu->dump = NULL;
}
