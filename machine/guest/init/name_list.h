/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_NAME_LIST_H
#define KT_MACHINE_GUEST_NAME_LIST_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#define NAME_LIST_SHOWN 12

/* Names of files: all are counted, the first few are kept to be shown. */
struct name_list {
	size_t count;
	char *names[NAME_LIST_SHOWN];
};

/* Adds a copy; without memory for one, the name is counted alone. */
void name_list_add(struct name_list *list, const char *name);

/* Prints a line "@what: N files" and the first names, each on a line of its own
 * with what a terminal would act upon shown as '?'.
 * Prints nothing if there are none.
 */
void name_list_print(const struct name_list *list, const char *what, FILE *to);
void name_list_free(struct name_list *list);

#endif
