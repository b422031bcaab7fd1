/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/truth/guest.h"

#include "machine/truth/arch.h"

#include <stdio.h>
#include <string.h>
#include <sys/param.h>

static void note_register(struct guest *guest,
			  const qemu_plugin_reg_descriptor *reg)
{
	for (unsigned i = 0; i < arch_register_count; i++)
		if (!strcmp(reg->name, arch_register_names[i]))
			guest->registers[i] = reg->handle;
}

bool guest_init(struct guest *guest)
{
	GArray *all = qemu_plugin_get_registers();
	guint step = g_array_get_element_size(all);

	for (guint i = 0; i < all->len; i++)
		note_register(guest, (const void *)(all->data + i * step));
	g_array_free(all, TRUE);
	guest->buffer = g_byte_array_new();
	for (unsigned i = 0; i < arch_register_count; i++) {
		if (!guest->registers[i]) {
			fprintf(stderr, "truth: QEMU shows no register %s\n",
				arch_register_names[i]);
			return false;
		}
	}
	return true;
}

void guest_fini(struct guest *guest)
{
	if (guest->buffer)
		g_byte_array_free(guest->buffer, TRUE);
}

static uint64_t buffer_value(const GByteArray *buffer)
{
	uint64_t value = 0;

	memcpy(&value, buffer->data, MIN(buffer->len, sizeof(value)));
	return value;
}

uint64_t guest_register(struct guest *guest, unsigned which)
{
	g_byte_array_set_size(guest->buffer, 0);
	if (!qemu_plugin_read_register(guest->registers[which], guest->buffer))
		return 0;
	return buffer_value(guest->buffer);
}

bool guest_memory(struct guest *guest, uint64_t address, size_t size,
		  uint64_t *value)
{
	g_byte_array_set_size(guest->buffer, 0);
	if (!qemu_plugin_read_memory_vaddr(address, guest->buffer, size))
		return false;
	*value = buffer_value(guest->buffer);
	return true;
}
