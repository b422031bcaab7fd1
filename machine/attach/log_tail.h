/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ATTACH_LOG_TAIL_H
#define KT_MACHINE_ATTACH_LOG_TAIL_H

#include <stddef.h>
#include <stdio.h>

/* The end of a log (the guest's console, QEMU's messages), kept to be shown
 * if things go wrong, and optionally the whole of it in a file.
 */
struct log_tail {
	int fd;	    /* owned; -1 when closed */
	FILE *copy; /* borrowed; may be NULL */
	size_t length;
	char text[16384];
};

/* Reads what is there; closes the descriptor at the end. */
void log_tail_read(struct log_tail *log);

/* The last line that has this text, from the text on: a pointer into the log
 * and the number of bytes to the line's end; NULL if there is none.
 */
const char *log_tail_find(const struct log_tail *log, const char *text,
			  int *length);

/* Prints the last lines, indented, under a title; nothing if there are none. */
void log_tail_show(const struct log_tail *log, const char *title);

#endif
