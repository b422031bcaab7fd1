/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_CHANNEL_OUTLET_H
#define KT_MACHINE_CHANNEL_OUTLET_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/channel/frame.h"

/* The sink of a stream: buffers received data and writes it to a file
 * descriptor, returning credit for written data.
 */
struct outlet {
	int fd; /* owned; -1 when closed */
	unsigned int stream;
	bool ending; /* close after everything is written */
	size_t begin;
	size_t end;
	char data[FRAME_FIRST_CREDIT];
};

void outlet_open(struct outlet *outlet, int fd, unsigned int stream);

/* Returns 0, or -EPROTO if the data exceeds the credit. */
int outlet_put(struct outlet *outlet, const void *data, size_t length);

/* Marks the end of the data. */
void outlet_end(struct outlet *outlet);

/* Returns whether poll() should watch for room. */
bool outlet_wants_room(const struct outlet *outlet);

/* Writes at most PIPE_BUF bytes, which do not block once poll() announced room.
 * If the descriptor has no reader, reports this to the other side
 * (FRAME_BROKEN) and drops the rest. Returns 0, -ENOMEM, or negative errno for
 * a failure that must be reported (a full disk).
 */
int outlet_pump(struct outlet *outlet, struct frame_writer *writer);

void outlet_close(struct outlet *outlet);

#endif
