/* SPDX-License-Identifier: MIT */
#include "cmd/console/say.h"

#include "report/text/name_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void write_line(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	/* When out of memory, print the format alone. */
	name_write(stderr, NAME_TEXT, text ? text : format);
	fputc('\n', stderr);
	free(text);
}

void say(const char *format, ...)
{
	va_list args;

	fputs("ktrace-hw: ", stderr);
	va_start(args, format);
	write_line(format, args);
	va_end(args);
}

void say_of(const char *command, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "ktrace-hw %s: ", command);
	va_start(args, format);
	write_line(format, args);
	va_end(args);
}
