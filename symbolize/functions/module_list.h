/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_MODULE_LIST_H
#define KT_SYMBOLIZE_MODULE_LIST_H

#include "common/array.h"
#include "common/number_map.h"

#include <stddef.h>
#include <stdint.h>

struct string_pool;

struct module {
	const char *name;
	uint64_t start; /* the lowest entry in it; UINT64_MAX: none yet */
};

/* The modules that functions are of, each once. */
struct module_list {
	struct array modules;	   /* struct module, by its name's number */
	struct string_pool *names; /* NULL: none yet */
	struct number_map by_text; /* number, by the address of the text */
	size_t last;		   /* index of the one that came last */
};

#define MODULE_LIST_NONE \
	((struct module_list){ .modules = ARRAY_OF(struct module) })

void module_list_free(struct module_list *list);

/* Returns the text of the module that is called as the @length bytes of @name.
 * Owner: the list.  NULL when out of memory.
 */
const char *module_list_add(struct module_list *list, const char *name,
			    size_t length);

/* Makes the module whose text @name is the last one. */
void module_list_find(struct module_list *list, const char *name);

/* Returns the module whose text @name is: mostly the one of the symbol before. */
static inline struct module *module_list_of(struct module_list *list,
					    const char *name)
{
	struct module *modules = list->modules.items;

	if (modules[list->last].name != name)
		module_list_find(list, name);
	return &modules[list->last];
}

#endif
