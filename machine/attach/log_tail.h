/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ATTACH_LOG_TAIL_H
#define KT_MACHINE_ATTACH_LOG_TAIL_H

#include <stddef.h>
#include <stdio.h>

/* The end of a log (the guest's console, QEMU's messages), stored to be shown
 * after a failure, and optionally a copy of the whole log in a file.
 */
struct log_tail {
	int fd;	    /* owned; -1 when closed */
	FILE *copy; /* borrowed; may be NULL */
	size_t length;
	char text[16384];
};

/* Reads the available input. Closes the descriptor at the end of the log. */
void log_tail_read(struct log_tail *log);

/* Returns the last line that contains @text, from @text on: a pointer into the
 * log, with the number of bytes to the line's end in *@length; NULL if no line
 * contains it.
 */
const char *log_tail_find(const struct log_tail *log, const char *text,
			  int *length);

/* Prints the last lines, indented, below a title. Prints nothing if the log is
 * empty.
 */
void log_tail_show(const struct log_tail *log, const char *title);

#endif
