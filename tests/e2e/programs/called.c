/* SPDX-License-Identifier: MIT */
/* Calls of known arguments and results, for arguments.sh:
 *
 *	called FILE
 *
 * Reads 1, 2, 3, ... COUNT bytes at these offsets from FILE, which is shorter
 * than all of it, writes it to its disk, and removes files that do not exist.
 * Prints for each read a line: the number of bytes wanted, the result, and how
 * long pread(2) took by CLOCK_MONOTONIC, in ns; then "fsync" with its result
 * and time.
 */
#include "tests/e2e/programs/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 40, SIZE = 60 };

int main(int argc, char **argv)
{
	uint64_t took_ns[COUNT + 1];
	long results[COUNT + 1];
	char bytes[SIZE] = "";
	char path[64];
	int fd;

	if (argc != 2)
		return 2;
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, bytes, SIZE) != SIZE)
		return 1;
	for (int i = 1; i <= COUNT; i++) {
		uint64_t begin_ns = now_ns();

		results[i] = pread(fd, bytes, (size_t)i, i);
		took_ns[i] = now_ns() - begin_ns;
	}
	took_ns[0] = now_ns();
	results[0] = fsync(fd);
	took_ns[0] = now_ns() - took_ns[0];
	for (int i = 1; i <= COUNT; i++)
		printf("%d %ld %lu\n", i, results[i], took_ns[i]);
	printf("fsync %ld %lu\n", results[0], took_ns[0]);
	for (int i = 1; i <= 3; i++) {
		snprintf(path, sizeof(path), "/no such\n/file%d", i);
		if (!unlink(path) || errno != ENOENT)
			return 1;
	}
	return 0;
}
