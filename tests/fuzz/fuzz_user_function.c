/* SPDX-License-Identifier: MIT */
#include "collector/trigger/user_function.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* A program in which a trigger looks for a function. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	char path[64];
	uint64_t offset;

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, bytes, size) == (ssize_t)size) {
		user_function_offset(path, "main", &offset);
		user_function_offset(path, "no such function", &offset);
	}
	close(fd);
	return 0;
}
