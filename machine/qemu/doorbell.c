/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/doorbell.h"

#include <string.h>
#include <time.h>

enum {
	POLL_NS = 20000,
	/* A host that takes longer is waiting for something else. */
	POLLS_MAX = 50000,
};

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

void doorbell_wait(const struct qemu_plugin_hwaddr *hwaddr,
		   bool (*is_pending)(void *machine), void *machine)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };

	if (!works_on_files(hwaddr))
		return;
	for (unsigned i = 0; i < POLLS_MAX && !is_pending(machine); i++)
		nanosleep(&pause, NULL);
}
