/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/module_text.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "collector/kernel_code/module_list.h"
#include "common/error.h"

#include <string.h>

/* A symbol of a module, or its first address. */
struct mark {
	uint64_t address;
	const char *module; /* not NUL-terminated */
	size_t module_length;
	bool is_text;
};

/* At equal addresses, code is sorted last: the code starts there, and the data
 * has ended.
 */
static int compare(const void *a, const void *b)
{
	const struct mark *x = a;
	const struct mark *y = b;

	if (x->address != y->address)
		return x->address > y->address ? 1 : -1;
	return x->is_text - y->is_text;
}

static int add_symbols(struct array *marks,
		       const struct kernel_symbols *symbols)
{
	struct kallsyms lines = kernel_symbols_walk_modules(symbols);
	struct kallsyms_line line;

	while (kallsyms_next(&lines, &line)) {
		struct mark *mark;

		if (!line.module_length)
			continue;
		mark = array_add(marks);
		if (!mark)
			return -ERROR_MEMORY;
		*mark = (struct mark){
			.address = line.address,
			.module = line.module,
			.module_length = line.module_length,
			.is_text = strchr("tTwW", line.type),
		};
	}
	return 0;
}

/* A module may have code without a symbol before its first one: PLTs. */
static int add_modules(struct array *marks, const struct array *modules)
{
	const struct module *items = modules->items;

	for (size_t i = 0; i < modules->count; i++) {
		struct mark *mark = array_add(marks);

		if (!mark)
			return -ERROR_MEMORY;
		*mark = (struct mark){
			.address = items[i].address,
			.module = items[i].name,
			.module_length = strlen(items[i].name),
			.is_text = true,
		};
	}
	return 0;
}

int module_text_read(struct module_text *text,
		     const struct kernel_symbols *symbols,
		     const struct array *modules)
{
	int error;

	text->marks = ARRAY_OF(struct mark);
	error = add_symbols(&text->marks, symbols);
	if (!error)
		error = add_modules(&text->marks, modules);
	if (!error)
		array_sort(&text->marks, compare);
	return error;
}

void module_text_free(struct module_text *text)
{
	array_free(&text->marks);
}

static bool is_at_or_below(const void *mark, const void *address)
{
	return ((const struct mark *)mark)->address <=
	       *(const uint64_t *)address;
}

bool module_text_has(const struct module_text *text,
		     const struct module *module, uint64_t address)
{
	const struct mark *marks = text->marks.items;
	size_t count =
		array_partition_point(&text->marks, &address, is_at_or_below);
	const struct mark *mark = count ? &marks[count - 1] : NULL;

	return mark && mark->is_text &&
	       mark->module_length == strlen(module->name) &&
	       !memcmp(mark->module, module->name, mark->module_length);
}
