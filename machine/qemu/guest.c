/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/guest.h"

#include <stdio.h>
#include <string.h>
#include <sys/param.h>

static struct qemu_plugin_register *find(GArray *all, const char *name)
{
	guint size = g_array_get_element_size(all);

	for (guint i = 0; i < all->len; i++) {
		const qemu_plugin_reg_descriptor *found =
			(const void *)(all->data + (size_t)i * size);

		if (!strcmp(found->name, name))
			return found->handle;
	}
	return NULL;
}

bool guest_init(struct guest *guest, const char *const *names, unsigned count)
{
	GArray *all = qemu_plugin_get_registers();
	bool complete = true;

	guest->scratch = g_byte_array_new();
	for (unsigned i = 0; i < count; i++) {
		guest->handles[i] = find(all, names[i]);
		if (guest->handles[i])
			continue;
		fprintf(stderr, "trace unit: QEMU does not show register %s\n",
			names[i]);
		complete = false;
	}
	g_array_free(all, TRUE);
	return complete;
}

uint64_t guest_read(struct guest *guest, unsigned which)
{
	uint64_t value = 0;

	g_byte_array_set_size(guest->scratch, 0);
	if (!qemu_plugin_read_register(guest->handles[which], guest->scratch))
		return 0;
	memcpy(&value, guest->scratch->data, MIN(guest->scratch->len, 8));
	return value;
}

void guest_write(struct guest *guest, unsigned which, uint64_t value)
{
	g_byte_array_set_size(guest->scratch, 0);
	g_byte_array_append(guest->scratch, (const guint8 *)&value, 8);
	qemu_plugin_write_register(guest->handles[which], guest->scratch);
}

bool guest_read_physical(struct guest *guest, uint64_t address, void *bytes,
			 size_t size)
{
	g_byte_array_set_size(guest->scratch, 0);
	if (qemu_plugin_read_memory_hwaddr(address, guest->scratch, size) ||
	    guest->scratch->len < size)
		return false;
	memcpy(bytes, guest->scratch->data, size);
	return true;
}

bool guest_write_physical(struct guest *guest, uint64_t address,
			  const void *bytes, size_t size)
{
	g_byte_array_set_size(guest->scratch, 0);
	g_byte_array_append(guest->scratch, bytes, (guint)size);
	return !qemu_plugin_write_memory_hwaddr(address, guest->scratch);
}

bool guest_read_virtual(struct guest *guest, uint64_t address, void *bytes,
			size_t size)
{
	g_byte_array_set_size(guest->scratch, 0);
	if (!qemu_plugin_read_memory_vaddr(address, guest->scratch, size))
		return false;
	memcpy(bytes, guest->scratch->data, size);
	return true;
}
