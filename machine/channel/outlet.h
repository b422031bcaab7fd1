/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_CHANNEL_OUTLET_H
#define KT_MACHINE_CHANNEL_OUTLET_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/channel/frame.h"

/* Where a stream leaves the channel: keeps what came and writes it to a file
 * descriptor as that takes it, giving credit back for what is written.
 */
struct outlet {
	int fd; /* owned; -1 when closed */
	unsigned int stream;
	bool ending; /* close when all is written */
	size_t begin;
	size_t end;
	char data[FRAME_FIRST_CREDIT];
};

void outlet_open(struct outlet *outlet, int fd, unsigned int stream);

/* Returns 0, or -EPROTO if more came than there was credit for. */
int outlet_put(struct outlet *outlet, const void *data, size_t length);

/* No more will come. */
void outlet_end(struct outlet *outlet);

/* Returns whether poll() should watch for room. */
bool outlet_wants_room(const struct outlet *outlet);

/* Writes at most PIPE_BUF bytes: that much does not block once poll()
 * announced room.  If nobody reads, says so to the other side (FRAME_BROKEN)
 * and drops the rest.
 * Returns 0, -ENOMEM, or negative errno if the outlet failed in a way that
 * must not pass in silence (a full disk).
 */
int outlet_pump(struct outlet *outlet, struct frame_writer *writer);

void outlet_close(struct outlet *outlet);

#endif
