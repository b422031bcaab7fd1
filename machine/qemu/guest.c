/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/guest.h"

#include <stdio.h>
#include <string.h>

static const char *const names[GUEST_REGISTERS] = {
	"rax", "rbx", "rcx", "rdx", "cr3", "cs",  "rip", "rax",
	"rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8",
	"r9",  "r10", "r11", "r12", "r13", "r14", "r15",
};

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

bool guest_init(struct guest *guest)
{
	GArray *all = qemu_plugin_get_registers();
	bool complete = true;

	guest->scratch = g_byte_array_new();
	for (unsigned i = 0; i < GUEST_REGISTERS; i++) {
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

uint64_t guest_read_edx_eax(struct guest *guest)
{
	return guest_read(guest, GUEST_RDX) << 32 |
	       (guest_read(guest, GUEST_RAX) & 0xffffffff);
}

void guest_write_edx_eax(struct guest *guest, uint64_t value)
{
	guest_write(guest, GUEST_RAX, value & 0xffffffff);
	guest_write(guest, GUEST_RDX, value >> 32);
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
