/* SPDX-License-Identifier: MIT */
#include "report/text/text_width.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static int columns_wanted(void)
{
	const char *text = getenv("COLUMNS");
	char *end;
	long value = text ? strtol(text, &end, 10) : 0;

	return text && *text && !*end && value > 0 && value < 10000 ?
		       (int)value :
		       0;
}

static int columns_of_terminal(int fd)
{
	struct winsize size;

	return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col :
								 0;
}

/* A pager reads from a pipe and displays on this process's standard output. */
static int columns_shown(FILE *out)
{
	struct stat status;
	int fd = fileno(out);

	if (fd < 0)
		return 0;
	if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode))
		return columns_of_terminal(STDOUT_FILENO);
	return columns_of_terminal(fd);
}

int text_width_of(FILE *out)
{
	int width = columns_wanted();

	if (!width)
		width = columns_shown(out);
	if (!width)
		width = TEXT_WIDTH_FILE;
	return width < TEXT_WIDTH_LEAST ? TEXT_WIDTH_LEAST : width;
}
