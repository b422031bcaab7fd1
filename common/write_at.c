/* SPDX-License-Identifier: MIT */
#include "common/write_at.h"
#include "common/error.h"

#include <errno.h>
#include <unistd.h>

int write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
	const uint8_t *at = bytes;

	while (size) {
		ssize_t done = pwrite(fd, at, size, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -ERROR_SYSTEM;
		at += done;
		offset += (uint64_t)done;
		size -= (size_t)done;
	}
	return 0;
}
