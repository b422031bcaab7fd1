/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int load(const char *name, struct problem *problem)
{
	char path[300];
	int result = 0;
	int fd;

	snprintf(path, sizeof(path), "/modules/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return problem_set(problem, "module %s", name);
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		result = problem_set(problem, "cannot load module %s", name);
	close(fd);
	return result;
}

int modules_load(const char *set, struct problem *problem)
{
	char line[256];
	char path[64];
	int result = 0;
	FILE *list;

	snprintf(path, sizeof(path), "/modules/%s", set);
	list = fopen(path, "re");
	if (!list)
		return problem_set(problem, "%s", path);
	while (!result && fgets(line, sizeof(line), list)) {
		line[strcspn(line, "\n")] = '\0';
		result = load(line, problem);
	}
	fclose(list);
	return result;
}
