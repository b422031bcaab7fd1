/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/disk.h"

#include <errno.h>
#include <sys/mount.h>
#include <sys/stat.h>

int disk_mount(struct problem *problem)
{
	if (mkdir("/scratch", 0755) && errno != EEXIST)
		return problem_set(problem, "cannot make /scratch");
	if (mount("/dev/vda", "/scratch", "ext4", MS_NOATIME, ""))
		return problem_set(problem, "cannot mount the scratch disk");
	return 0;
}
