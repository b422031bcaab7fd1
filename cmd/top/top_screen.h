/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_SCREEN_H
#define KT_CMD_TOP_SCREEN_H

#include "cmd/top/top_frame.h"

#include <stdbool.h>
#include <termios.h>

/* The terminal while top uses it: alternate screen, no cursor, no echo, keys
 * read byte by byte. A zeroed one is not in use.
 */
struct top_screen {
	struct termios before;
	bool is_on;
};

/* Returns whether standard input and output are a terminal with cursor
 * addressing.
 */
bool top_screen_is_there(void);

/* Switches the terminal to top's mode. Returns 0, or -1 after a message on
 * standard error.
 */
int top_screen_enter(struct top_screen *screen);

/* Restores the terminal, if top_screen_enter() changed it. */
void top_screen_leave(struct top_screen *screen);

struct top_size top_screen_size(void);

/* Writes all of @text at once. */
void top_screen_write(const char *text, size_t size);

#endif
