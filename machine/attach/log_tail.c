/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/attach/log_tail.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define LINES_SHOWN 30

static void append(struct log_tail *log, const char *text, size_t length)
{
	size_t room = sizeof(log->text) - 1 - log->length;

	if (length > room) {
		size_t drop = length - room;

		memmove(log->text, log->text + drop, log->length - drop);
		log->length -= drop;
	}
	memcpy(log->text + log->length, text, length);
	log->length += length;
	log->text[log->length] = '\0';
}

void log_tail_read(struct log_tail *log)
{
	char text[1024];
	ssize_t got = read(log->fd, text, sizeof(text));

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		close(log->fd);
		log->fd = -1;
		return;
	}
	append(log, text, (size_t)got);
	if (log->copy) {
		fwrite(text, 1, (size_t)got, log->copy);
		fflush(log->copy);
	}
}

const char *log_tail_find(const struct log_tail *log, const char *text,
			  int *length)
{
	const char *next = strstr(log->text, text);
	const char *found = NULL;

	while (next) {
		found = next;
		next = strstr(found + 1, text);
	}
	if (found)
		*length = (int)strcspn(found, "\r\n");
	return found;
}

static const char *last_lines(const struct log_tail *log)
{
	const char *start = log->text + log->length;
	int lines = 0;

	while (start > log->text) {
		if (start[-1] == '\n' && lines++ == LINES_SHOWN)
			break;
		start--;
	}
	return start;
}

void log_tail_show(const struct log_tail *log, const char *title)
{
	const char *line = last_lines(log);

	if (*line)
		fprintf(stderr, "machine: %s:\n", title);
	while (*line) {
		int length = (int)strcspn(line, "\r\n");

		fprintf(stderr, "    %.*s\n", length, line);
		line += length;
		line += strspn(line, "\r\n");
	}
}
