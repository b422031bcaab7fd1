/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/matching_lines.h"
#include "common/error.h"
#include "common/output_folder.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_match(const char *line, const char (*marks)[80], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(line, marks[i]))
			return true;
	return false;
}

static bool copy_lines(FILE *from, FILE *to, const char (*marks)[80],
		       size_t count)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, from) > 0)
		if (is_match(line, marks, count))
			fputs(line, to);
	free(line);
	return !ferror(from) && !ferror(to);
}

static FILE *open_target(const struct output_folder *folder, const char *name)
{
	int fd = output_folder_reopen(folder, name, O_WRONLY | O_APPEND);
	FILE *target = fd < 0 ? NULL : fdopen(fd, "a");

	if (!target && fd >= 0)
		close(fd);
	return target;
}

int matching_lines_append(const char *from, const struct output_folder *folder,
			  const char *name, const char (*marks)[80],
			  size_t count)
{
	FILE *source = fopen(from, "re");
	FILE *target = source ? open_target(folder, name) : NULL;
	bool done = target && copy_lines(source, target, marks, count);

	if (source)
		fclose(source);
	if (target && fclose(target))
		done = false;
	return done ? 0 : -ERROR_SYSTEM;
}
