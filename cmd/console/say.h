/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_SAY_H
#define KT_CMD_SAY_H

/* Each writes a line to standard error, of what printf() would write: names and
 * arguments in it may have any bytes, none of which is a terminal's command then
 * (NAME_TEXT in report/text/name_text.h).
 */

/* "ktrace-hw: …" */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "ktrace-hw COMMAND: …" */
void say_of(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
