/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_DUMP_H
#define KT_MACHINE_QEMU_DUMP_H

#include <stddef.h>
#include <stdio.h>

/* Returns what a trace unit writes, also in the file trace.<cpu> of a folder.
 * Without a folder, or with a file NULL, these do nothing.  Opening and
 * writing end the program with a message if they fail; closing says so.
 */
FILE *dump_open(const char *folder, unsigned cpu);
void dump_write(FILE *file, const void *bytes, size_t size);
void dump_close(FILE *file);

#endif
