/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_SCREEN_H
#define KT_CMD_TOP_SCREEN_H

#include "cmd/top/top_frame.h"

#include <stdbool.h>
#include <termios.h>

/* The terminal while top has it: another screen, without cursor and echo, keys
 * byte by byte.  A zeroed one has nothing.
 */
struct top_screen {
	struct termios before;
	bool is_on;
};

/* Returns whether standard input and output are a terminal that moves its
 * cursor.
 */
bool top_screen_is_there(void);

/* Takes the terminal.  Returns 0, or -1 with the reason on standard error. */
int top_screen_enter(struct top_screen *screen);

/* Gives it back as it was, if it is taken. */
void top_screen_leave(struct top_screen *screen);

struct top_size top_screen_size(void);

/* Writes all of @text at once. */
void top_screen_write(const char *text, size_t size);

#endif
