/* SPDX-License-Identifier: MIT */
#include "cmd/console/console.h"

#include "cmd/command.h"
#include "common/closest_word.h"
#include "common/files/file_io.h"
#include "common/files/regular_file.h"
#include "report/text/name_text.h"

#include <assert.h>
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

static void write_line_of(const char *command, const char *format, va_list args)
{
	fprintf(stderr, "ktrace-hw %s: ", command);
	write_line(format, args);
}

void say_of(const char *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line_of(command, format, args);
	va_end(args);
}

enum verbosity { LOG_QUIET, LOG_NORMAL, LOG_VERBOSE };

static const char log_variable[] = "KTRACE_LOG";

static enum verbosity verbosity(void)
{
	const char *text = getenv(log_variable);

	if (text && !strcmp(text, "quiet"))
		return LOG_QUIET;
	return text && !strcmp(text, "verbose") ? LOG_VERBOSE : LOG_NORMAL;
}

bool notes_are_shown(void)
{
	return verbosity() != LOG_QUIET;
}

void say_note(const char *format, ...)
{
	va_list args;

	if (!notes_are_shown())
		return;
	fputs("ktrace-hw: ", stderr);
	va_start(args, format);
	write_line(format, args);
	va_end(args);
}

void note_of(const char *command, const char *format, ...)
{
	va_list args;

	if (!notes_are_shown())
		return;
	va_start(args, format);
	write_line_of(command, format, args);
	va_end(args);
}

bool is_verbose(void)
{
	return verbosity() == LOG_VERBOSE;
}

void say_more(const char *format, ...)
{
	va_list args;

	if (!is_verbose())
		return;
	fputs("ktrace-hw: ", stderr);
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
	case LOG_DETAIL:
		return "";
	}
	return "";
}

/* Writes a message of the log. File names and messages contain names from the
 * recording, so they are escaped.
 */
static void write_message(void *ctx, enum log_level level, const char *file,
			  uint64_t offset, const char *text)
{
	(void)ctx;
	if ((level == LOG_NOTE && !notes_are_shown()) ||
	    (level == LOG_DETAIL && !is_verbose()))
		return;
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

/* Suggests a long option for @word, unless getopt_long() found some option that
 * starts like it and reported another error.
 */
static void suggest(const char *word, const struct option *list)
{
	char name[64] = "";
	struct closest_word closest = closest_word_to(name);

	if (!word || strncmp(word, "--", 2) != 0)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="),
		 word + 2);
	for (; list->name; list++) {
		if (!strncmp(list->name, name, strlen(name)))
			return;
		closest_word_offer(&closest, list->name);
	}
	if (*closest.best)
		say("did you mean --%s?", closest.best);
}

static int next_of(int argc, char **argv, const char *letters,
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
	if (option == '?' && opterr && !optopt)
		suggest(argv[optind - 1], list);
	return option;
}

enum { MOST_OPTIONS = 128, OPTION_QUIET = 1 << 20, OPTION_VERBOSE };

const char console_options_help[] =
	"  --quiet                no notes on standard error (-q)\n"
	"  --verbose              more notes, such as which recording is read "
	"(-v)\n";

int next_option(int argc, char **argv, const char *letters,
		const struct option *list)
{
	struct option all[MOST_OPTIONS + 3] = { 0 };
	char all_letters[32];
	int count = 0;
	int option;

	for (; list[count].name; count++) {
		assert(count < MOST_OPTIONS);
		all[count] = list[count];
	}
	all[count++] =
		(struct option){ "quiet", no_argument, NULL, OPTION_QUIET };
	all[count] =
		(struct option){ "verbose", no_argument, NULL, OPTION_VERBOSE };
	snprintf(all_letters, sizeof(all_letters), "%sqv", letters);
	while ((option = next_of(argc, argv, all_letters, all)) != -1) {
		if (option == 'q' || option == OPTION_QUIET)
			setenv(log_variable, "quiet", 1);
		else if (option == 'v' || option == OPTION_VERBOSE)
			setenv(log_variable, "verbose", 1);
		else
			return option;
	}
	return -1;
}
