/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/channel/outlet.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

void outlet_open(struct outlet *outlet, int fd, unsigned int stream)
{
	outlet->fd = fd;
	outlet->stream = stream;
	outlet->ending = false;
	outlet->begin = 0;
	outlet->end = 0;
}

int outlet_put(struct outlet *outlet, const void *data, size_t length)
{
	size_t pending = outlet->end - outlet->begin;

	/* Data sent before the other side received FRAME_BROKEN is dropped. */
	if (outlet->fd < 0)
		return 0;
	if (length > sizeof(outlet->data) - pending)
		return -EPROTO;
	memmove(outlet->data, outlet->data + outlet->begin, pending);
	memcpy(outlet->data + pending, data, length);
	outlet->begin = 0;
	outlet->end = pending + length;
	return 0;
}

void outlet_end(struct outlet *outlet)
{
	outlet->ending = true;
	if (outlet->begin == outlet->end)
		outlet_close(outlet);
}

bool outlet_wants_room(const struct outlet *outlet)
{
	return outlet->fd >= 0 && outlet->begin < outlet->end;
}

static int give_up(struct outlet *outlet, struct frame_writer *writer,
		   int error)
{
	outlet_close(outlet);
	if (frame_writer_put(writer, FRAME_BROKEN, outlet->stream, NULL, 0))
		return -ENOMEM;
	return error == EPIPE || error == EIO ? 0 : -error;
}

int outlet_pump(struct outlet *outlet, struct frame_writer *writer)
{
	size_t most = outlet->end - outlet->begin;
	ssize_t put;

	if (!outlet_wants_room(outlet))
		return 0;
	if (most > PIPE_BUF)
		most = PIPE_BUF;
	put = write(outlet->fd, outlet->data + outlet->begin, most);
	if (put < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (put < 0)
		return give_up(outlet, writer, errno);
	outlet->begin += (size_t)put;
	if (outlet->ending && outlet->begin == outlet->end)
		outlet_close(outlet);
	return frame_writer_put_numbers(writer, FRAME_CREDIT, outlet->stream,
					(uint32_t)put, 0);
}

void outlet_close(struct outlet *outlet)
{
	if (outlet->fd >= 0)
		close(outlet->fd);
	outlet->fd = -1;
	outlet->begin = 0;
	outlet->end = 0;
}
