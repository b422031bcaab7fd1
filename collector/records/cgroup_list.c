/* SPDX-License-Identifier: MIT */
#include "collector/records/cgroup_list.h"

#include "collector/bytes/recording_files.h"
#include "collector/records/task_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_line(void *ctx, pid_t process, pid_t thread)
{
	FILE *out = ctx;
	char path[80];
	char *line = NULL;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/cgroup", (int)process,
		 (int)thread);
	file = fopen(path, "re");
	/* The task may have ended since it was listed. */
	if (!file)
		return;
	while (getline(&line, &room, file) > 0)
		if (!strncmp(line, "0::/", 4))
			fprintf(out, "%d %s", (int)thread, line + 3);
	free(line);
	fclose(file);
}

static void write_lines(FILE *out, const void *ctx)
{
	(void)ctx;
	task_walk(add_line, NULL, out);
}

int cgroup_list_write(const struct output_folder *recording, const char *name,
		      const struct log *log)
{
	return kcore_folder_write(recording, name, write_lines, NULL, log);
}
