/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/channel/inlet.h"

#include <errno.h>
#include <unistd.h>

#define READ_SIZE 32768

void inlet_open(struct inlet *inlet, int fd, unsigned int stream)
{
	inlet->fd = fd;
	inlet->stream = stream;
	inlet->credit = FRAME_FIRST_CREDIT;
}

bool inlet_wants_input(const struct inlet *inlet)
{
	return inlet->fd >= 0 && inlet->credit > 0;
}

static int end(struct inlet *inlet, struct frame_writer *writer)
{
	int error = frame_writer_put(writer, FRAME_END, inlet->stream, NULL, 0);

	inlet_close(inlet);
	return error ? error : -EPIPE;
}

int inlet_pump(struct inlet *inlet, struct frame_writer *writer)
{
	char data[READ_SIZE];
	size_t most = sizeof(data);
	ssize_t got;
	int error;

	if (!inlet_wants_input(inlet))
		return 0;
	if (most > inlet->credit)
		most = inlet->credit;
	got = read(inlet->fd, data, most);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	/* A pty without users returns EIO, which is its end. */
	if (got <= 0)
		return end(inlet, writer);
	inlet->credit -= (uint32_t)got;
	error = frame_writer_put(writer, FRAME_DATA, inlet->stream, data,
				 (size_t)got);
	return error ? error : 1;
}

void inlet_close(struct inlet *inlet)
{
	if (inlet->fd >= 0)
		close(inlet->fd);
	inlet->fd = -1;
}
