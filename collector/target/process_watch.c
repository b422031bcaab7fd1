/* SPDX-License-Identifier: MIT */
#include "collector/target/process_watch.h"
#include "common/error.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int process_watch_add(struct process_watch *watch, pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	int *kept;

	if (fd < 0)
		return errno == ESRCH ? 0 : -ERROR_SYSTEM;
	kept = array_add(&watch->fds);
	if (kept)
		*kept = fd;
	else
		close(fd);
	return kept ? 0 : -ERROR_MEMORY;
}

void process_watch_free(struct process_watch *watch)
{
	const int *fds = watch->fds.items;

	for (size_t i = 0; i < watch->fds.count; i++)
		close(fds[i]);
	array_free(&watch->fds);
}
