/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/truth/guest.h"

#include <stdio.h>
#include <string.h>

static const char *const names[GUEST_REGISTERS] = {
	[GUEST_RAX] = "rax", [GUEST_RBX] = "rbx", [GUEST_RCX] = "rcx",
	[GUEST_RDX] = "rdx", [GUEST_RSI] = "rsi", [GUEST_RSP] = "rsp",
	[GUEST_RIP] = "rip",
};

static void note_register(struct guest *guest,
			  const qemu_plugin_reg_descriptor *reg)
{
	for (int i = 0; i < GUEST_REGISTERS; i++)
		if (!strcmp(reg->name, names[i]))
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
	for (int i = 0; i < GUEST_REGISTERS; i++) {
		if (!guest->registers[i]) {
			fprintf(stderr, "truth: QEMU shows no register %s\n",
				names[i]);
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

uint64_t guest_register(struct guest *guest, enum guest_register which)
{
	g_byte_array_set_size(guest->buffer, 0);
	if (!qemu_plugin_read_register(guest->registers[which], guest->buffer))
		return 0;
	return buffer_value(guest->buffer);
}

uint64_t guest_edx_eax(struct guest *guest)
{
	return (guest_register(guest, GUEST_RDX) << 32) |
	       (uint32_t)guest_register(guest, GUEST_RAX);
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

/* The code segments that Linux uses: kernel, user 32 bit, user 64 bit.  No
 * value of RFLAGS, whose bit 1 is set and bit 5 clear, looks like one.
 */
static bool is_code_segment(uint64_t value)
{
	return value == 0x10 || value == 0x23 || value == 0x33;
}

uint64_t guest_interrupted_sp(struct guest *guest)
{
	uint64_t frame = guest_register(guest, GUEST_RSP);
	uint64_t third, sp;

	/* [error code,] rip, cs, rflags, rsp, ss */
	if (!guest_memory(guest, frame + 16, 8, &third))
		return 0;
	if (is_code_segment(third))
		frame += 8;
	return guest_memory(guest, frame + 24, 8, &sp) ? sp : 0;
}
