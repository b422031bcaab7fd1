/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_DUMP_H
#define KT_MACHINE_QEMU_DUMP_H

#include <stddef.h>
#include <stdio.h>

/* A copy of a trace unit's output in the file trace.<cpu> of a folder. Without
 * a folder dump_open() returns NULL, and with a NULL file the others do
 * nothing. dump_open() and dump_write() end the program with a message on
 * failure; dump_close() prints a message.
 */
FILE *dump_open(const char *folder, unsigned cpu);
void dump_write(FILE *file, const void *bytes, size_t size);
void dump_close(FILE *file);

#endif
