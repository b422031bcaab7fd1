/* SPDX-License-Identifier: MIT */
#include "collector/trigger/function_names_internal.h"
#include "collector/trigger/goroutine_probes.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* A program where a function is looked up for a trigger. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	char path[64];
	struct user_functions found;
	struct goroutine_probe probe;

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, bytes, size) == (ssize_t)size) {
		user_functions_find(path, "main", &found);
		user_functions_find(path, "main@0x1234", &found);
		goroutine_probe_find(path, &probe);
	}
	close(fd);
	return 0;
}
