/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/disk.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "machine/guest/init/delay.h"
#include "machine/guest/init/memory_disk.h"
#include "machine/guest/init/modules.h"

#define DISK "/dev/vda"

static bool is_in_memory(unsigned int delay_ms)
{
	return delay_ms && delay_ms < DISK_DM_DELAY_MS;
}

int disk_load(unsigned int delay_ms, struct problem *problem)
{
	if (modules_load("disk", problem))
		return -1;
	if (is_in_memory(delay_ms))
		return memory_disk_create(DISK, delay_ms, problem);
	return delay_ms ? modules_load("delay", problem) : 0;
}

/* Sets *disk to the delaying device. */
static int delay_disk(unsigned int delay_ms, const char **disk,
		      struct problem *problem)
{
	if (!is_in_memory(delay_ms))
		return delay_create(DISK, delay_ms, disk, problem);
	*disk = MEMORY_DISK;
	return memory_disk_fill(DISK, problem);
}

int disk_mount(unsigned int delay_ms, struct problem *problem)
{
	const char *disk = DISK;

	if (delay_ms && delay_disk(delay_ms, &disk, problem))
		return -1;
	if (mkdir("/scratch", 0755) && errno != EEXIST)
		return problem_set(problem, "cannot make /scratch");
	if (mount(disk, "/scratch", "ext4", MS_NOATIME, ""))
		return problem_set(problem, "cannot mount the scratch disk");
	return 0;
}
