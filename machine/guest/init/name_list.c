/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/name_list.h"

#include <stdlib.h>
#include <string.h>

void name_list_add(struct name_list *list, const char *name)
{
	if (list->count < NAME_LIST_SHOWN)
		list->names[list->count] = strdup(name);
	list->count++;
}

static void print_name(const char *name, FILE *to)
{
	fputs("    ", to);
	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;

		fputc(byte < ' ' || byte == 0x7f ? '?' : byte, to);
	}
	fputc('\n', to);
}

void name_list_print(const struct name_list *list, const char *what, FILE *to)
{
	size_t shown = 0;

	if (!list->count)
		return;
	fprintf(to, "%s: %zu %s\n", what, list->count,
		list->count == 1 ? "file" : "files");
	for (; shown < list->count && shown < NAME_LIST_SHOWN; shown++)
		if (list->names[shown])
			print_name(list->names[shown], to);
	if (shown < list->count)
		fprintf(to, "    and %zu more\n", list->count - shown);
}

void name_list_free(struct name_list *list)
{
	for (size_t i = 0; i < NAME_LIST_SHOWN; i++)
		free(list->names[i]);
	*list = (struct name_list){ 0 };
}
