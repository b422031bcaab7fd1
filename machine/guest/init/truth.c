/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/truth.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/guest/init/btf.h"
#include "machine/guest/init/hand_over.h"

/* The function that continues in another task. On x86-64 it is entered on that
 * task's stack; on arm64 it changes the stack itself.
 */
#if defined(__aarch64__)
static const char switch_function[] = "cpu_switch_to";
#else
static const char switch_function[] = "__switch_to";
#endif

/* Returns 0 if the kernel does not have the symbol. */
static uint64_t kernel_symbol(const char *wanted)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512];
	char name[256];
	uint64_t address;
	uint64_t found = 0;

	if (!file)
		return 0;
	while (!found && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%" SCNx64 " %*c %255s", &address, name) ==
			    2 &&
		    !strcmp(name, wanted))
			found = address;
	}
	fclose(file);
	return found;
}

static char *read_whole(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	size_t capacity = 1 << 24;
	char *data = malloc(capacity);

	*size = 0;
	if (file && data)
		*size = fread(data, 1, capacity, file);
	if (file)
		fclose(file);
	return data;
}

int truth_announce(struct problem *problem)
{
	size_t size;
	char *types = read_whole("/sys/kernel/btf/vmlinux", &size);
	uint64_t address = kernel_symbol(switch_function);
	long pid = -1, tgid = -1;

	if (types) {
		pid = btf_member_offset(types, size, "task_struct", "pid");
		tgid = btf_member_offset(types, size, "task_struct", "tgid");
	}
	free(types);
	errno = 0;
	if (!address)
		return problem_set(problem, "kallsyms has no %s",
				   switch_function);
	if (pid < 0 || tgid < 0)
		return problem_set(problem,
				   "the kernel's BTF has no pid, tgid");
	hand_over(address, (uint64_t)pid << 32 | (uint64_t)tgid);
	return 0;
}
