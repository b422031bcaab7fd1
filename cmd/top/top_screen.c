/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_screen.h"

#include "cmd/console/say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* xterm sequences: the alternate screen, the cursor, wrapping at the edge. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

bool top_screen_is_there(void)
{
	const char *terminal = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && terminal &&
	       *terminal && strcmp(terminal, "dumb") != 0;
}

/* Signal keys stay enabled: Ctrl-C ends top, Ctrl-Z stops it. */
int top_screen_enter(struct top_screen *screen)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &screen->before) < 0) {
		say_of("top", "the terminal: %s", strerror(errno));
		return -1;
	}
	raw = screen->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
	top_screen_write(ENTER, strlen(ENTER));
	screen->is_on = true;
	return 0;
}

void top_screen_leave(struct top_screen *screen)
{
	if (!screen->is_on)
		return;
	top_screen_write(LEAVE, strlen(LEAVE));
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &screen->before);
	screen->is_on = false;
}

struct top_size top_screen_size(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row ||
	    !size.ws_col)
		return (struct top_size){ 24, 80 };
	return (struct top_size){ size.ws_row, size.ws_col };
}

void top_screen_write(const char *text, size_t size)
{
	ssize_t count;

	while (size && ((count = write(STDOUT_FILENO, text, size)) > 0 ||
			(count < 0 && errno == EINTR))) {
		if (count < 0)
			continue;
		text += count;
		size -= (size_t)count;
	}
}
