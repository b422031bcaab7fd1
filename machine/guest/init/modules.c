/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int load(const char *name, const char *parameters,
		struct problem *problem)
{
	char path[300];
	int result = 0;
	int fd;

	snprintf(path, sizeof(path), "/modules/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return problem_set(problem, "module %s", name);
	if (syscall(SYS_finit_module, fd, parameters, 0) && errno != EEXIST)
		result = problem_set(problem, "cannot load module %s", name);
	close(fd);
	return result;
}

/* Reads the next module's file name, which is empty at the end of the list. */
static void next_name(FILE *list, char *name, int size)
{
	if (!fgets(name, size, list))
		*name = '\0';
	name[strcspn(name, "\n")] = '\0';
}

int modules_load_with(const char *set, const char *parameters,
		      struct problem *problem)
{
	char name[256];
	char next[256];
	char path[64];
	int result = 0;
	FILE *list;

	snprintf(path, sizeof(path), "/modules/%s", set);
	list = fopen(path, "re");
	if (!list)
		return problem_set(problem, "%s", path);
	next_name(list, name, sizeof(name));
	while (!result && *name) {
		next_name(list, next, sizeof(next));
		result = load(name, *next ? "" : parameters, problem);
		strcpy(name, next);
	}
	fclose(list);
	return result;
}

int modules_load(const char *set, struct problem *problem)
{
	return modules_load_with(set, "", problem);
}
