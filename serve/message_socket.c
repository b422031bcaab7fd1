/* SPDX-License-Identifier: MIT */
#include "serve/message_socket.h"
#include "common/error.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(MESSAGE_DESCRIPTORS * sizeof(int))];
};

int message_send(int socket, const void *bytes, size_t size, const int *fds,
		 size_t count)
{
	union control control = { 0 };
	struct iovec part = { (void *)(uintptr_t)bytes, size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	assert(count <= MESSAGE_DESCRIPTORS);
	if (count) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)size ?
		       0 :
		       -ERROR_SYSTEM;
}

static size_t take_descriptors(struct msghdr *message,
			       int fds[MESSAGE_DESCRIPTORS])
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	size_t size;

	if (!header || header->cmsg_level != SOL_SOCKET ||
	    header->cmsg_type != SCM_RIGHTS)
		return 0;
	size = header->cmsg_len - CMSG_LEN(0);
	memcpy(fds, CMSG_DATA(header), size);
	return size / sizeof(int);
}

int message_receive(int socket, void *bytes, size_t room,
		    int fds[MESSAGE_DESCRIPTORS], size_t *count)
{
	union control control;
	struct iovec part = { bytes, room };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);

	*count = 0;
	if (size < 0)
		return -ERROR_SYSTEM;
	*count = take_descriptors(&message, fds);
	if (!(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return (int)size;
	while (*count)
		close(fds[--*count]);
	return -ERROR_FORMAT;
}
