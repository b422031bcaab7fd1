/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/memory_disk.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "machine/guest/init/modules.h"

enum { NS_PER_MS = 1000000, PIECE = 256 << 10 };

static bool is_zero(const char *piece, size_t size)
{
	return !*piece && !memcmp(piece, piece + 1, size - 1);
}

static int write_all(int to, const char *piece, size_t size, off_t offset)
{
	while (size) {
		ssize_t done = pwrite(to, piece, size, offset);

		if (done < 0)
			return -1;
		piece += done;
		size -= (size_t)done;
		offset += done;
	}
	return 0;
}

/* The new disk contains zeros and allocates memory only for written data. */
static int copy_pieces(int from, int to, char *piece)
{
	off_t offset = 0;
	ssize_t size;

	while ((size = pread(from, piece, PIECE, offset)) > 0) {
		if (!is_zero(piece, (size_t)size) &&
		    write_all(to, piece, (size_t)size, offset))
			return -1;
		offset += size;
	}
	return size < 0 ? -1 : fsync(to);
}

int memory_disk_fill(const char *disk, struct problem *problem)
{
	int from = open(disk, O_RDONLY | O_CLOEXEC);
	int to = open(MEMORY_DISK, O_WRONLY | O_CLOEXEC);
	char *piece = malloc(PIECE);
	int result = 0;

	if (from < 0 || to < 0 || !piece || copy_pieces(from, to, piece))
		result = problem_set(problem, "cannot copy %s into memory",
				     disk);
	free(piece);
	if (to >= 0)
		close(to);
	if (from >= 0)
		close(from);
	return result;
}

static int size_of(const char *disk, uint64_t *size)
{
	int fd = open(disk, O_RDONLY | O_CLOEXEC);
	int result = fd < 0 ? -1 : ioctl(fd, BLKGETSIZE64, size);

	if (fd >= 0)
		close(fd);
	return result;
}

/* The size of null_blk is given in GiB. */
int memory_disk_create(const char *disk, unsigned int delay_ms,
		       struct problem *problem)
{
	char parameters[160];
	uint64_t size;

	if (size_of(disk, &size))
		return problem_set(problem, "no size of %s", disk);
	snprintf(parameters, sizeof(parameters),
		 "nr_devices=1 memory_backed=1 queue_mode=2 irqmode=2 "
		 "submit_queues=1 completion_nsec=%llu gb=%llu",
		 (unsigned long long)delay_ms * NS_PER_MS,
		 (unsigned long long)((size + (1u << 30) - 1) >> 30));
	return modules_load_with("memory_disk", parameters, problem);
}
