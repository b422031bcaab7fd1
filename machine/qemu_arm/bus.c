/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/bus.h"
#include "machine/qemu_arm/gic.h"

#include <stdlib.h>

static bool translate(void *machine, uint64_t address, uint64_t *physical)
{
	(void)machine;
	return qemu_plugin_translate_vaddr(address, physical);
}

static bool write_memory(void *machine, uint64_t physical, const void *bytes,
			 size_t size)
{
	struct vcpu *vcpu = machine;

	if (vcpu->dump && fwrite(bytes, 1, size, vcpu->dump) != size) {
		perror("trace unit: dump");
		exit(EXIT_FAILURE);
	}
	return guest_write_physical(&vcpu->guest, physical, bytes, size);
}

static void raise_interrupt(void *machine)
{
	struct vcpu *vcpu = machine;

	gic_raise_trace_buffer(&vcpu->guest, vcpu->index);
}

static FILE *open_dump(const char *dir, unsigned index)
{
	char path[4096];

	if (!dir)
		return NULL;
	snprintf(path, sizeof(path), "%s/trace.%u", dir, index);

	FILE *file = fopen(path, "wb");

	if (!file) {
		fprintf(stderr, "trace unit: cannot write %s: ", path);
		perror("");
		exit(EXIT_FAILURE);
	}
	return file;
}

void bus_init(struct ete_bus *bus, struct vcpu *vcpu, const char *dump_dir)
{
	*bus = (struct ete_bus){ translate, write_memory, raise_interrupt,
				 vcpu };
	vcpu->dump = open_dump(dump_dir, vcpu->index);
}

void bus_close(struct vcpu *vcpu)
{
	if (vcpu->dump && fclose(vcpu->dump))
		perror("trace unit: dump");
	vcpu->dump = NULL;
}
