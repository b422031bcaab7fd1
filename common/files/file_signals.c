/* SPDX-License-Identifier: MIT */
#include "common/files/file_signals.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* The handler may only call functions listed in signal-safety(7). */

enum { MOST_LINE = 4608 };

static const char *read_hex(const char *text, uint64_t *value)
{
	*value = 0;
	for (;; text++) {
		if (*text >= '0' && *text <= '9')
			*value = *value << 4 | (uint64_t)(*text - '0');
		else if (*text >= 'a' && *text <= 'f')
			*value = *value << 4 | (uint64_t)(*text - 'a' + 10);
		else
			return text;
	}
}

/* Returns the file of @line of /proc/self/maps, if it maps @address. */
static const char *file_of(const char *line, uint64_t address)
{
	uint64_t first;
	uint64_t end;
	const char *rest = read_hex(line, &first);

	if (*rest != '-')
		return NULL;
	read_hex(rest + 1, &end);
	return address >= first && address < end ? strchr(line, '/') : NULL;
}

/* Reads the next line into @line, truncated if it is too long. Returns false at
 * the end of the file.
 */
static bool next_line(int fd, char line[MOST_LINE])
{
	size_t length = 0;
	char byte;

	while (read(fd, &byte, 1) == 1) {
		if (byte == '\n') {
			line[length] = '\0';
			return true;
		}
		/* Control characters could act on the terminal. */
		if (length < MOST_LINE - 1)
			line[length++] = (unsigned char)byte < ' ' ||
							 byte == 0x7f ?
						 '?' :
						 byte;
	}
	return false;
}

static void say(const char *text)
{
	ssize_t written = write(STDERR_FILENO, text, strlen(text));

	(void)written;
}

static void report_file(int number, siginfo_t *info, void *context)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	const char *file = NULL;
	char line[MOST_LINE];

	(void)number;
	(void)context;
	while (fd >= 0 && !file && next_line(fd, line))
		file = file_of(line, (uint64_t)(uintptr_t)info->si_addr);
	say("ktrace-hw: ");
	say(file ? file : "a file");
	say(": cannot be read: it became shorter meanwhile, or its disk is full "
	    "or damaged\n");
	_exit(1);
}

static void go_on(int number)
{
	(void)number;
}

void file_signals_handle(void)
{
	struct sigaction bus = {
		.sa_sigaction = report_file,
		.sa_flags = SA_SIGINFO,
	};
	struct sigaction size = {
		.sa_handler = go_on,
		.sa_flags = SA_RESTART,
	};

	sigaction(SIGBUS, &bus, NULL);
	sigaction(SIGXFSZ, &size, NULL);
}
