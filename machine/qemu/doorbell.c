/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/doorbell.h"

#include <string.h>
#include <time.h>

/* Local APIC, interrupt request register: 8 words of 32 bits, 16 bytes apart
 * (SDM volume 3, "Local APIC Register Address Map").
 */
#define APIC_IRR 0xfee00200ull
enum { APIC_IRR_WORDS = 8, APIC_IRR_STRIDE = 16 };

enum {
	POLL_NS = 20000,
	/* A host that takes longer is waiting for something else. */
	POLLS_MAX = 50000,
};

bool doorbell_is_store(const uint8_t *bytes, size_t size)
{
	static const uint8_t mov_di_to_rsi[] = { 0x66, 0x89, 0x3e };

	return size == sizeof(mov_di_to_rsi) &&
	       !memcmp(bytes, mov_di_to_rsi, size);
}

/* QEMU names the region of a device's doorbells "virtio-pci-notify-DEVICE". */
static bool works_on_files(const struct qemu_plugin_hwaddr *hwaddr)
{
	const char *name;

	if (!hwaddr || !qemu_plugin_hwaddr_is_io(hwaddr))
		return false;
	name = qemu_plugin_hwaddr_device_name(hwaddr);
	return name && strstr(name, "notify") &&
	       (strstr(name, "9p") || strstr(name, "blk"));
}

static bool interrupt_pending(struct guest *guest)
{
	uint32_t word;

	for (unsigned i = 0; i < APIC_IRR_WORDS; i++)
		if (guest_read_physical(guest, APIC_IRR + i * APIC_IRR_STRIDE,
					&word, sizeof(word)) &&
		    word)
			return true;
	return false;
}

void doorbell_wait(struct guest *guest, const struct qemu_plugin_hwaddr *hwaddr)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };

	if (!works_on_files(hwaddr))
		return;
	for (unsigned i = 0; i < POLLS_MAX && !interrupt_pending(guest); i++)
		nanosleep(&pause, NULL);
}
