/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_SAY_H
#define KT_CMD_SAY_H

/* Each function formats its arguments like printf() and writes a line to
 * standard error, escaped as by NAME_TEXT (report/text/name_text.h): names and
 * arguments may contain any bytes.
 */

/* "ktrace-hw: …" */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "ktrace-hw COMMAND: …" */
void say_of(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
