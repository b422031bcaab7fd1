/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/unit/host_moments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *map(int fd, size_t size)
{
	/* The first plugin to open the file sets its size. */
	if (fd < 0 || ftruncate(fd, (off_t)size))
		return MAP_FAILED;
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

struct host_moment *host_moments_map(const char *path, unsigned int cpus)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *moments = map(fd, cpus * sizeof(struct host_moment));

	if (moments == MAP_FAILED)
		fprintf(stderr, "cannot map %s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return moments == MAP_FAILED ? NULL : moments;
}

void host_moment_leave(struct host_moment *moment, uint64_t tsc)
{
	if (moment)
		*moment = (struct host_moment){ tsc, true };
}

uint64_t host_moment_take(struct host_moment *moment)
{
	if (!moment || !moment->is_new)
		return 0;
	moment->is_new = false;
	return moment->tsc;
}
