/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/guest.h"

#include <stdio.h>
#include <string.h>

enum { OPERAND_ZERO = 31 };

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

static void name_of(unsigned which, char *name, size_t size)
{
	static const char *const others[] = { "pc", "CONTEXTIDR_EL1",
					      "ESR_EL1" };

	if (which < GUEST_PC)
		snprintf(name, size, "x%u", which);
	else
		snprintf(name, size, "%s", others[which - GUEST_PC]);
}

bool guest_init(struct guest *guest)
{
	GArray *all = qemu_plugin_get_registers();
	bool complete = true;
	char name[24];

	guest->scratch = g_byte_array_new();
	for (unsigned i = 0; i < GUEST_REGISTERS; i++) {
		name_of(i, name, sizeof(name));
		guest->handles[i] = find(all, name);
		if (guest->handles[i])
			continue;
		fprintf(stderr, "trace unit: QEMU does not show register %s\n",
			name);
		complete = false;
	}
	g_array_free(all, TRUE);
	return complete;
}

void guest_free(struct guest *guest)
{
	if (guest->scratch)
		g_byte_array_free(guest->scratch, TRUE);
	guest->scratch = NULL;
}

uint64_t guest_read(struct guest *guest, enum guest_register which)
{
	uint64_t value = 0;

	g_byte_array_set_size(guest->scratch, 0);
	if (!qemu_plugin_read_register(guest->handles[which], guest->scratch))
		return 0;
	memcpy(&value, guest->scratch->data, MIN(guest->scratch->len, 8));
	return value;
}

void guest_write(struct guest *guest, enum guest_register which, uint64_t value)
{
	g_byte_array_set_size(guest->scratch, 0);
	g_byte_array_append(guest->scratch, (const guint8 *)&value, 8);
	qemu_plugin_write_register(guest->handles[which], guest->scratch);
}

uint64_t guest_read_operand(struct guest *guest, unsigned number)
{
	return number == OPERAND_ZERO ? 0 : guest_read(guest, number);
}

void guest_write_operand(struct guest *guest, unsigned number, uint64_t value)
{
	if (number != OPERAND_ZERO)
		guest_write(guest, number, value);
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
