/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/disk.h"

#include <errno.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "machine/guest/init/delay.h"

int disk_mount(unsigned int delay_ms, struct problem *problem)
{
	const char *disk = "/dev/vda";

	if (delay_ms && delay_create(disk, delay_ms, &disk, problem))
		return -1;
	if (mkdir("/scratch", 0755) && errno != EEXIST)
		return problem_set(problem, "cannot make /scratch");
	if (mount(disk, "/scratch", "ext4", MS_NOATIME, ""))
		return problem_set(problem, "cannot mount the scratch disk");
	return 0;
}
