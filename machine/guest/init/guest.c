/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/guest/init/disk.h"
#include "machine/guest/init/modules.h"
#include "machine/guest/init/mounts.h"
#include "machine/guest/init/network.h"
#include "machine/guest/init/port.h"
#include "machine/guest/init/truth.h"

int guest_connect(struct guest *guest)
{
	if (modules_load("base", &guest->problem))
		return -1;
	guest->port = port_open(&guest->problem);
	if (guest->port < 0)
		return -1;
	guest->reader = frame_reader_new(guest->port);
	guest->writer = frame_writer_new(guest->port);
	if (!guest->reader || !guest->writer)
		return problem_set(&guest->problem, "channel");
	return 0;
}

struct sysctl {
	const char *path;
	const char *value;
};

/* With several CPUs, each CPU is a thread of the host, and the clock is the
 * host's. The host name shows this to readers of a recording (docs/machine.md).
 */
static const char *hostname(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) > 1 ? "machine-host-clock" :
						   "machine";
}

/* Allow all measurements, because the machine is made for tracers. */
static int set_sysctls(struct problem *problem)
{
	const struct sysctl list[] = {
		{ "/proc/sys/kernel/perf_event_paranoid", "-1" },
		{ "/proc/sys/kernel/kptr_restrict", "0" },
		{ "/proc/sys/kernel/dmesg_restrict", "0" },
		{ "/proc/sys/kernel/hostname", hostname() },
	};
	size_t i;

	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		int fd = open(list[i].path, O_WRONLY | O_CLOEXEC);
		ssize_t put = write(fd, list[i].value, strlen(list[i].value));

		if (put < 0)
			return problem_set(problem, "%s", list[i].path);
		close(fd);
	}
	return 0;
}

int guest_prepare(struct guest *guest)
{
	const struct settings *settings = &guest->settings;
	struct problem *problem = &guest->problem;

	if (mounts_rest(problem) || set_sysctls(problem) ||
	    network_loopback(problem))
		return -1;
	if (settings->disk && disk_mount(settings->disk_delay_ms, problem))
		return -1;
	if (settings->net && network_namespaces(problem))
		return -1;
	if (settings->link && network_link(settings->link, problem))
		return -1;
	if (settings->truth && truth_announce(problem))
		return -1;
	return 0;
}
