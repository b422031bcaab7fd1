/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/bus.h"

#include <stdlib.h>

/* GICv3: a CPU's redistributor is two frames of 64 KiB, the second of which
 * has the pending bits of its private interrupts; QEMU's virt machine has them
 * here (hw/arm/virt.c).  The trace buffer's private interrupt is 15 (see
 * ../host/device_tree.sh), after the 16 that CPUs send each other.
 */
#define GICR_BASE 0x080a0000ull
#define GICR_STRIDE 0x20000ull
#define GICR_ISPENDR0 0x10200ull
enum { TRACE_BUFFER_INTERRUPT = 16 + 15 };

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
	uint32_t bit = 1u << TRACE_BUFFER_INTERRUPT;

	guest_write_physical(&vcpu->guest,
			     GICR_BASE + vcpu->index * GICR_STRIDE +
				     GICR_ISPENDR0,
			     &bit, sizeof(bit));
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
