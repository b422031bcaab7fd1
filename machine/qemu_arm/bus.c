/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/bus.h"
#include "machine/qemu/dump.h"
#include "machine/qemu_arm/gic.h"

static bool translate(void *machine, uint64_t address, uint64_t *physical)
{
	(void)machine;
	return qemu_plugin_translate_vaddr(address, physical);
}

static bool write_memory(void *machine, uint64_t physical, const void *bytes,
			 size_t size)
{
	struct vcpu *vcpu = machine;

	dump_write(vcpu->dump, bytes, size);
	return guest_write_physical(&vcpu->guest, physical, bytes, size);
}

static void raise_interrupt(void *machine)
{
	struct vcpu *vcpu = machine;

	gic_raise_trace_buffer(&vcpu->guest, vcpu->index);
}

void bus_init(struct ete_bus *bus, struct vcpu *vcpu, const char *dump_dir)
{
	*bus = (struct ete_bus){ translate, write_memory, raise_interrupt,
				 vcpu };
	vcpu->dump = dump_open(dump_dir, vcpu->index);
}

void bus_close(struct vcpu *vcpu)
{
	dump_close(vcpu->dump);
	vcpu->dump = NULL;
}
