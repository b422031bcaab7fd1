/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/bus.h"

#include <stdio.h>
#include <stdlib.h>

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

	if (vcpu->dump && fwrite(bytes, 1, size, vcpu->dump) != size) {
		perror("trace unit: dump");
		exit(EXIT_FAILURE);
	}
	return guest_write_physical(&vcpu->guest, address, bytes, size);
}

static void raise_interrupt(void *machine)
{
	struct vcpu *vcpu = machine;

	perfmon_topa_interrupt(&vcpu->perfmon, &vcpu->guest);
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

void bus_init(struct pt_bus *bus, struct vcpu *vcpu, const char *dump_dir,
	      unsigned index)
{
	*bus = (struct pt_bus){ read_memory, write_memory, raise_interrupt,
				vcpu };
	vcpu->dump = open_dump(dump_dir, index);
}

void bus_close(struct vcpu *vcpu)
{
	if (vcpu->dump && fclose(vcpu->dump))
		perror("trace unit: dump");
	vcpu->dump = NULL;
}
