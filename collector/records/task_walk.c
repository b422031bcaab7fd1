/* SPDX-License-Identifier: MIT */
#include "collector/records/task_walk.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the next numeric entry of @folder, 0 after the last. */
static pid_t next_number(DIR *folder)
{
	const struct dirent *entry;

	while ((entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]))
			return atoi(entry->d_name);
	return 0;
}

void task_walk(void (*thread)(void *ctx, pid_t process, pid_t thread),
	       void (*process)(void *ctx, pid_t process), void *ctx)
{
	DIR *processes = opendir("/proc");
	pid_t pid;

	while (processes && (pid = next_number(processes))) {
		char path[64];
		DIR *threads;
		pid_t tid;

		snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
		threads = opendir(path);
		/* The task may have ended since it was listed. */
		if (!threads)
			continue;
		while (thread && (tid = next_number(threads)))
			thread(ctx, pid, tid);
		closedir(threads);
		if (process)
			process(ctx, pid);
	}
	if (processes)
		closedir(processes);
}
