/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/module_list.h"

#include "common/maps.h"

#include <stdbool.h>
#include <string.h>

void module_list_free(struct module_list *list)
{
	array_free(&list->modules);
	string_pool_free(list->names);
	number_map_free(&list->by_text);
}

static bool is_last(const struct module_list *list, const char *name,
		    size_t length)
{
	const char *last;

	if (!list->modules.count)
		return false;
	last = ((const struct module *)list->modules.items)[list->last].name;
	return strncmp(last, name, length) == 0 && !last[length];
}

/* Adds the module with number @number, whose text is new. */
static bool add_module(struct module_list *list, uint32_t number)
{
	const struct module module = {
		.name = string_pool_text(list->names, number),
		.start = UINT64_MAX,
	};
	uint64_t *place =
		number_map_add(&list->by_text, (uintptr_t)module.name);

	if (!place || array_append(&list->modules, &module) < 0)
		return false;
	*place = number;
	return true;
}

const char *module_list_add(struct module_list *list, const char *name,
			    size_t length)
{
	uint32_t number;

	/* Symbols are grouped by module, so the last module nearly always
	 * matches.
	 */
	if (!is_last(list, name, length)) {
		if (!list->names)
			list->names = string_pool_new();
		number = list->names ?
				 string_pool_add(list->names, name, length) :
				 STRING_POOL_NONE;
		if (number == STRING_POOL_NONE ||
		    (number == list->modules.count &&
		     !add_module(list, number)))
			return NULL;
		list->last = number;
	}
	return ((const struct module *)list->modules.items)[list->last].name;
}

void module_list_find(struct module_list *list, const char *name)
{
	const uint64_t *number =
		number_map_find(&list->by_text, (uintptr_t)name);

	if (number)
		list->last = *number;
}
