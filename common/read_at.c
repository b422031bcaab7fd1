/* SPDX-License-Identifier: MIT */
#include "common/read_at.h"
#include "common/error.h"

#include <errno.h>
#include <unistd.h>

int read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
	uint8_t *at = buffer;

	while (size) {
		ssize_t got = pread(fd, at, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -ERROR_SYSTEM;
		if (!got)
			return -ERROR_NOT_FOUND;
		at += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}
