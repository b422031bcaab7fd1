/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/module_list.h"

#include "common/arena.h"

#include <string.h>

void module_list_free(struct module_list *list)
{
	array_free(&list->modules);
}

const char *module_list_add(struct module_list *list, struct arena *names,
			    const char *name, size_t length)
{
	struct module *module;
	char *copy;

	/* Symbols come grouped by module, so the newest fits nearly always. */
	for (size_t i = list->modules.count; i-- > 0;) {
		module = array_at(&list->modules, i);
		list->last = i;
		if (strncmp(module->name, name, length) == 0 &&
		    !module->name[length])
			return module->name;
	}
	copy = arena_text(names, name, length);
	module = copy ? array_add(&list->modules) : NULL;
	if (!module)
		return NULL;
	list->last = list->modules.count - 1;
	*module = (struct module){ .name = copy, .start = UINT64_MAX };
	return copy;
}

void module_list_find(struct module_list *list, const char *name)
{
	const struct module *modules = list->modules.items;

	for (size_t i = 0; i < list->modules.count; i++)
		if (modules[i].name == name)
			list->last = i;
}
