/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/attach/terminal.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

int terminal_make_raw(struct terminal *terminal)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &terminal->saved))
		return -errno;
	raw = terminal->saved;
	cfmakeraw(&raw);
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw))
		return -errno;
	terminal->raw = true;
	return 0;
}

void terminal_restore(struct terminal *terminal)
{
	if (terminal->raw)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->saved);
	terminal->raw = false;
}

int terminal_send_size(struct frame_writer *writer)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };

	ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
	return frame_writer_put_numbers(writer, FRAME_WINDOW, 0, size.ws_row,
					size.ws_col);
}
