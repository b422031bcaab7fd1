/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ATTACH_TERMINAL_H
#define KT_MACHINE_ATTACH_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

#include "machine/channel/frame.h"

/* The user's terminal. While it is raw, all keys go to the guest. */
struct terminal {
	bool raw;
	struct termios saved;
};

/* Returns 0, or negative errno if standard input is not a terminal. */
int terminal_make_raw(struct terminal *terminal);
void terminal_restore(struct terminal *terminal);

/* Queues the terminal's size for the guest.  Returns 0 or -ENOMEM. */
int terminal_send_size(struct frame_writer *writer);

#endif
