/* SPDX-License-Identifier: MIT */
#include "collector/target/cpu_list.h"

#include "common/array.h"
#include "common/error.h"

#include <ctype.h>
#include <errno.h>
#include <linux/netlink.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Linux's own limit is 8192 (NR_CPUS of MAXSMP). */
enum { CPU_LIMIT = 65536 };

static void drop_repeated(struct array *cpus)
{
	int *items = cpus->items;
	size_t kept = 0;

	array_sort_by(cpus, KEYS(RISING_NUMBER(int)));
	for (size_t i = 0; i < cpus->count; i++)
		if (!kept || items[kept - 1] != items[i])
			items[kept++] = items[i];
	cpus->count = kept;
}

static int read_cpu(const char **text, int *cpu)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char)**text))
		return -ERROR_FORMAT;
	value = strtoul(*text, &end, 10);
	if (value >= CPU_LIMIT)
		return -ERROR_FORMAT;
	*cpu = (int)value;
	*text = end;
	return 0;
}

static int read_range(const char **text, struct array *cpus)
{
	int first;
	int last;

	if (read_cpu(text, &first))
		return -ERROR_FORMAT;
	last = first;
	if (**text == '-') {
		++*text;
		if (read_cpu(text, &last) || last < first)
			return -ERROR_FORMAT;
	}
	for (int cpu = first; cpu <= last; cpu++)
		if (array_append(cpus, &cpu) < 0)
			return -ERROR_MEMORY;
	return 0;
}

int cpu_list_parse(const char *text, struct array *cpus)
{
	for (;;) {
		int error = read_range(&text, cpus);

		if (error)
			return error;
		if (*text != ',')
			break;
		text++;
	}
	drop_repeated(cpus);
	return *text && *text != '\n' ? -ERROR_FORMAT : 0;
}

int cpu_list_online(struct array *cpus)
{
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	char text[4096];
	int error = -ERROR_SYSTEM;

	if (!file)
		return error;
	if (fgets(text, sizeof(text), file))
		error = cpu_list_parse(text, cpus);
	fclose(file);
	return error;
}

bool cpu_list_has(const struct array *cpus, int cpu)
{
	for (size_t i = 0; i < cpus->count; i++)
		if (*(const int *)array_at(cpus, i) == cpu)
			return true;
	return false;
}

/* lib/kobject_uevent.c: the kernel's own multicast group. */
enum { KERNEL_GROUP = 1 };

/* Room for several reports from each CPU of a large machine: a report has about
 * 150 bytes and counts as 1 KiB.
 */
enum { PENDING_BYTES = 8 << 20 };

int cpu_reports_open(void)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK,
					     .nl_groups = KERNEL_GROUP };
	const int pending = PENDING_BYTES;
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -1;
	/* Not every user may do this; without it, fewer reports can be pending
	 * before some are lost.
	 */
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &pending, sizeof(pending));
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Returns the CPU that @text, a terminated report, is about; -1 if it is about
 * something else.
 */
static int cpu_of(const char *text)
{
	static const char wanted[] = "online@/devices/system/cpu/cpu";
	const char *number = text + sizeof(wanted) - 1;
	char *end;
	unsigned long cpu;

	if (strncmp(text, wanted, sizeof(wanted) - 1) != 0 ||
	    !isdigit((unsigned char)*number))
		return -1;
	cpu = strtoul(number, &end, 10);
	return *end || cpu > INT16_MAX ? -1 : (int)cpu;
}

int cpu_reports_read(int fd, struct array *cpus, bool *is_lost)
{
	char text[4096];
	int error = 0;

	*is_lost = false;
	while (fd >= 0 && !error) {
		ssize_t size = recv(fd, text, sizeof(text) - 1, 0);
		int cpu = -1;

		if (size >= 0) {
			text[size] = '\0';
			cpu = cpu_of(text);
		} else if (errno == ENOBUFS) {
			*is_lost = true;
		} else if (errno != EINTR) {
			break;
		}
		if (cpu >= 0)
			error = array_append(cpus, &cpu) < 0 ? -ERROR_MEMORY :
							       0;
	}
	return error;
}
