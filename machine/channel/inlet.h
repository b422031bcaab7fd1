/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_CHANNEL_INLET_H
#define KT_MACHINE_CHANNEL_INLET_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/channel/frame.h"

/* The source of a stream: reads a file descriptor, as far as the other side
 * gave credit, and writes frames.
 */
struct inlet {
	int fd; /* owned; -1 when closed */
	unsigned int stream;
	uint32_t credit;
};

void inlet_open(struct inlet *inlet, int fd, unsigned int stream);

/* Returns whether poll() should watch for input. */
bool inlet_wants_input(const struct inlet *inlet);

/* Reads once. Returns 1 if there may be more, 0 if no input or no credit is
 * available, -EPIPE at the end (FRAME_END is queued and the inlet is closed),
 * or -ENOMEM.
 */
int inlet_pump(struct inlet *inlet, struct frame_writer *writer);

void inlet_close(struct inlet *inlet);

#endif
