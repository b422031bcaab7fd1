/* SPDX-License-Identifier: MIT */
#include "cmd/console/console.h"

#include "cmd/command.h"
#include "common/file_io.h"
#include "common/regular_file.h"
#include "report/text/name_text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

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

static const char *level_text(enum log_level level)
{
	switch (level) {
	case LOG_ERROR:
		return "";
	case LOG_WARNING:
		return "warning: ";
	case LOG_NOTE:
		return "note: ";
	}
	return "";
}

/* File names and messages contain names from the recording, so they are
 * escaped.
 */
static void write_message(void *ctx, enum log_level level, const char *file,
			  uint64_t offset, const char *text)
{
	(void)ctx;
	fprintf(stderr, "ktrace-hw: %s", level_text(level));
	if (file) {
		name_write(stderr, NAME_TEXT, file);
		fputs(": ", stderr);
	}
	if (offset != LOG_NO_OFFSET)
		fprintf(stderr, "byte %" PRIu64 ": ", offset);
	name_write(stderr, NAME_TEXT, text);
	fputc('\n', stderr);
}

const struct log console_log = { .write = write_message };

int written_fail(const char *path)
{
	say("%s: not written: %s", path ? path : "standard output",
	    regular_file_error(errno));
	return EXIT_FAILED;
}

int written_flush(FILE *out)
{
	if (flush_written(out))
		return EXIT_OK;
	written_fail(NULL);
	__fpurge(out);
	clearerr(out);
	return EXIT_FAILED;
}

int written_stdout(void)
{
	return written_flush(stdout);
}

static bool is_plain(const char *word)
{
	char *text = name_made(NAME_TEXT, word);
	bool is_same = text && !strcmp(text, word);

	free(text);
	return is_same;
}

static bool are_plain(char **words)
{
	while (*words && is_plain(*words))
		words++;
	return !*words;
}

int next_option(int argc, char **argv, const char *letters,
		const struct option *list)
{
	int option;

	opterr = are_plain(argv);
	option = getopt_long(argc, argv, letters, list, NULL);
	if (option == '?' && !opterr) {
		const char letter[] = { '-', (char)optopt, '\0' };

		/* While a word of short options is parsed, optind still refers
		 * to that word.
		 */
		say("cannot use '%s'", optopt > 0 && optopt <= UCHAR_MAX ?
					       letter :
					       argv[optind - 1]);
	}
	return option;
}
