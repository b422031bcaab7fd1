/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/port.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PORTS "/sys/class/virtio-ports"
#define WAIT_MS 30000

static bool has_name(const char *port, const char *wanted)
{
	char path[300];
	char name[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), PORTS "/%s/name", port);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = '\0';
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
	return !strcmp(name, wanted);
}

/* The ports appear one by one after the driver is loaded. */
static int find(const char *wanted)
{
	DIR *ports = opendir(PORTS);
	struct dirent *entry;
	char path[300];
	int fd = -1;

	if (!ports)
		return -1;
	while (fd < 0 && (entry = readdir(ports))) {
		if (entry->d_name[0] == '.' || !has_name(entry->d_name, wanted))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	}
	closedir(ports);
	return fd;
}

static bool host_is_there(int fd)
{
	struct pollfd port = { .fd = fd, .events = POLLOUT };

	return poll(&port, 1, 0) >= 0 && !(port.revents & POLLHUP);
}

int port_open(struct problem *problem)
{
	int fd = -1;
	int waited;

	for (waited = 0; waited < WAIT_MS; waited++) {
		if (fd < 0)
			fd = find("ktrace.channel");
		if (fd >= 0 && host_is_there(fd))
			return fd;
		usleep(1000);
	}
	errno = 0;
	return problem_set(problem, "the port to the host does not appear");
}
