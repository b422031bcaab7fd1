/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/delay.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <linux/fs.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A request in the kernel's format, with room for one target. */
struct request {
	struct dm_ioctl head;
	struct dm_target_spec target;
	char parameters[64];
};

static void prepare(struct request *request)
{
	struct dm_ioctl *head = &request->head;

	memset(request, 0, sizeof(*request));
	head->version[0] = DM_VERSION_MAJOR;
	head->data_size = sizeof(*request);
	head->data_start = offsetof(struct request, target);
	strcpy(head->name, "scratch");
}

static int sectors(const char *disk, uint64_t *count)
{
	int fd = open(disk, O_RDONLY | O_CLOEXEC);
	int result;

	if (fd < 0)
		return -1;
	result = ioctl(fd, BLKGETSIZE64, count);
	close(fd);
	*count /= 512;
	return result;
}

static int load_table(int control, const char *disk, unsigned int delay_ms)
{
	struct request request;
	uint64_t length;

	if (sectors(disk, &length))
		return -1;
	prepare(&request);
	request.head.target_count = 1;
	request.target.length = length;
	strcpy(request.target.target_type, "delay");
	snprintf(request.parameters, sizeof(request.parameters), "%s 0 %u",
		 disk, delay_ms);
	return ioctl(control, DM_TABLE_LOAD, &request);
}

static int simple(int control, unsigned long command)
{
	struct request request;

	prepare(&request);
	return ioctl(control, command, &request);
}

int delay_create(const char *disk, unsigned int delay_ms, const char **node,
		 struct problem *problem)
{
	int control = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	int result;

	if (control < 0)
		return problem_set(problem, "cannot open /dev/mapper/control");
	/* "Suspend" without its flag means resume, which starts the device. */
	result = simple(control, DM_DEV_CREATE) ||
		 load_table(control, disk, delay_ms) ||
		 simple(control, DM_DEV_SUSPEND);
	if (result)
		problem_set(problem, "cannot delay %s by %u ms", disk,
			    delay_ms);
	close(control);
	*node = "/dev/dm-0";
	return result ? -1 : 0;
}
