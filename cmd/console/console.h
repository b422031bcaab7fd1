/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_CONSOLE_CONSOLE_H
#define KT_CMD_CONSOLE_CONSOLE_H

#include "common/log.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

struct option;

/* say() and say_of() format their arguments like printf() and write a line to
 * standard error, escaped as by NAME_TEXT (report/text/name_text.h): names and
 * arguments may contain any bytes.
 */

/* Writes "ktrace-hw: …" to standard error. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes "ktrace-hw COMMAND: …" to standard error. */
void say_of(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns whether notes are shown: not with -q. */
bool notes_are_shown(void);

/* Returns whether -v was given, which shows more notes. */
bool is_verbose(void);

/* Like say(), but a note, which -q suppresses. */
void say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Like say_of(), but a note. */
void note_of(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Like say_note(), but only -v shows it. */
void say_more(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A log that writes one line per message to standard error: the program's name,
 * the file and the byte offset in it if they are known, and the text. With -q
 * it drops notes.
 */
extern const struct log console_log;

/* Reports that @path (NULL: standard output) could not be written, with errno
 * as the reason. Returns EXIT_FAILED.
 */
int written_fail(const char *path);

/* Flushes @out, which is standard output or leads to it by a pager.
 *
 * Returns EXIT_OK, or EXIT_FAILED after a message. The output that could not be
 * written is then discarded, so that later calls do not report it again.
 */
int written_flush(FILE *out);

/* Like written_flush(), for standard output. */
int written_stdout(void);

/* Like getopt_long(), but its messages escape control characters in wrong
 * options, so that a terminal does not interpret them, and suggest the closest
 * long option of @list.
 *
 * It consumes -q (--quiet) and -v (--verbose) itself: every command has them.
 * Both set KTRACE_LOG in the environment, so that programs which the command
 * starts behave alike.
 */
int next_option(int argc, char **argv, const char *letters,
		const struct option *list);

/* The lines of -q and -v for the help of a command, in the columns that
 * own_option_print() uses.
 */
extern const char console_options_help[];

#endif
