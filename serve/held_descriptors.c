/* SPDX-License-Identifier: MIT */
#include "serve/held_descriptors.h"
#include "common/error.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

int held_descriptors_open(struct held_descriptors *held)
{
	held->epoll = epoll_create1(EPOLL_CLOEXEC);
	return held->epoll < 0 ? -ERROR_SYSTEM : 0;
}

void held_descriptors_close(struct held_descriptors *held)
{
	if (held->epoll >= 0)
		close(held->epoll);
	*held = HELD_DESCRIPTORS_NONE;
}

int held_descriptors_add(const struct held_descriptors *held, int fd)
{
	struct epoll_event no_events = { 0 };

	return epoll_ctl(held->epoll, EPOLL_CTL_ADD, fd, &no_events) ?
		       -ERROR_SYSTEM :
		       0;
}

/* Four lines of some ten bytes precede the entries. */
bool held_descriptors_any(const struct held_descriptors *held)
{
	char path[64];
	char text[1024];
	ssize_t size;
	int fd;

	if (held->epoll < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", held->epoll);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (size <= 0)
		return true;
	text[size] = '\0';
	return strstr(text, "\ntfd:");
}
