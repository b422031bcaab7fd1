/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Returns 1, 0 if the CPU does not exist, or -1 if it does not start. */
static int start(unsigned int cpu)
{
	char path[64];
	int fd;
	ssize_t written;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online",
		 cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	written = write(fd, "1", 1);
	close(fd);
	return written == 1 ? 1 : -1;
}

/* The first CPU has no such file, because it cannot be stopped. */
int cpus_start(struct problem *problem)
{
	unsigned int cpu = 1;
	int status;

	while ((status = start(cpu)) > 0)
		cpu++;
	return status ? problem_set(problem, "CPU %u does not start", cpu) : 0;
}
