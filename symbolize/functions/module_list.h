/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_MODULE_LIST_H
#define KT_SYMBOLIZE_MODULE_LIST_H

#include "common/array.h"
#include "common/maps.h"

#include <stddef.h>
#include <stdint.h>

struct string_pool;

struct module {
	const char *name;
	uint64_t start; /* lowest entry in it; UINT64_MAX: none yet */
};

/* The modules of functions, each once. */
struct module_list {
	/* struct module, by the number of its name */
	struct array modules;
	struct string_pool *names; /* NULL: none yet */
	struct number_map by_text; /* number, by the address of the text */
	size_t last;		   /* index of the last one used */
};

#define MODULE_LIST_NONE \
	((struct module_list){ .modules = ARRAY_OF(struct module) })

void module_list_free(struct module_list *list);

/* Returns the text of the module named by the @length bytes of @name. The list
 * owns it. NULL when out of memory.
 */
const char *module_list_add(struct module_list *list, const char *name,
			    size_t length);

/* Makes the module with text @name the last one used. */
void module_list_find(struct module_list *list, const char *name);

/* Returns the module with text @name. Usually that is the one of the previous
 * symbol.
 */
static inline struct module *module_list_of(struct module_list *list,
					    const char *name)
{
	struct module *modules = list->modules.items;

	if (modules[list->last].name != name)
		module_list_find(list, name);
	return &modules[list->last];
}

#endif
