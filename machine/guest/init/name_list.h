/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_NAME_LIST_H
#define KT_MACHINE_GUEST_NAME_LIST_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#define NAME_LIST_SHOWN 12

/* A list of file names: all are counted, and the first few are stored for
 * display.
 */
struct name_list {
	size_t count;
	char *names[NAME_LIST_SHOWN];
};

/* Adds a copy of the name. Without memory the name is only counted. */
void name_list_add(struct name_list *list, const char *name);

/* Prints a line "@what: N files" and the first names, each on its own line with
 * control characters replaced by '?'. Prints nothing if the list is empty.
 */
void name_list_print(const struct name_list *list, const char *what, FILE *to);
void name_list_free(struct name_list *list);

#endif
