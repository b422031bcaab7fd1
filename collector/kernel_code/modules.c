/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/modules.h"

#include "collector/kernel_code/executable_pages.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parses a line of /proc/modules: "name size users dependencies state address
 * [taints]". Returns whether it has an address.
 */
static int parse_line(const char *line, struct module *module)
{
	return sscanf(line, "%63s %" SCNu64 " %*s %*s %*s 0x%" SCNx64,
		      module->name, &module->size_bytes,
		      &module->address) == 3 &&
	       module->address;
}

int module_list_parse(const char *text, struct array *modules)
{
	while (*text) {
		struct module module;

		if (parse_line(text, &module) &&
		    array_append(modules, &module) < 0)
			return -ERROR_MEMORY;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	array_sort_by(modules, KEYS(RISING(struct module, address)));
	return 0;
}

int module_list_read(struct array *modules)
{
	struct byte_buffer text = { 0 };
	int error = byte_buffer_file(&text, "/proc/modules");

	if (error && errno == ENOENT)
		error = 0;
	byte_buffer_zeros(&text, 1);
	if (!error && text.failed)
		error = -ERROR_MEMORY;
	if (!error)
		error = module_list_parse((const char *)text.bytes, modules);
	byte_buffer_free(&text);
	return error;
}

/* Returns the distance from @start to the nearest module after it, at most
 * @limit bytes.
 */
static uint64_t free_bytes(const struct array *loaded, uint64_t start,
			   uint64_t limit)
{
	const struct module *modules = loaded->items;

	for (size_t i = 0; i < loaded->count; i++)
		if (modules[i].address > start &&
		    modules[i].address - start < limit)
			limit = modules[i].address - start;
	return limit;
}

/* Returns the address of the module's init code; 0 if it is unknown. */
static uint64_t address_of(const struct module *module)
{
	struct byte_buffer text = { 0 };
	uint64_t address = 0;
	char path[200];

	snprintf(path, sizeof(path), "/sys/module/%s/sections/.init.text",
		 module->name);
	byte_buffer_file(&text, path);
	byte_buffer_zeros(&text, 1);
	if (!text.failed)
		address = strtoull((const char *)text.bytes, NULL, 16);
	byte_buffer_free(&text);
	return address;
}

bool module_start_find(const struct kcore *kcore, const struct array *loaded,
		       const struct module *module, struct code_range *range)
{
	enum { LIMIT = 1 << 20 };
	uint64_t start = address_of(module);

	range->start = start;
	range->end =
		code_pages_end(kcore, start, free_bytes(loaded, start, LIMIT));
	return start && range->end > start;
}

/* A symbol of a module, or its first address. */
struct mark {
	uint64_t address;
	const char *module; /* not NUL-terminated */
	size_t module_length;
	bool is_text;
};

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

/* Adds the starts of modules. A module may have code without a symbol before
 * its first one: PLTs.
 */
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
		array_sort_by(&text->marks, KEYS(RISING(struct mark, address),
						 RISING(struct mark, is_text)));
	return error;
}

void module_text_free(struct module_text *text)
{
	array_free(&text->marks);
}

bool module_text_has(const struct module_text *text,
		     const struct module *module, uint64_t address)
{
	const struct mark *marks = text->marks.items;
	size_t count = array_count_up_to(
		&text->marks, KEYS(RISING(struct mark, address)), address);
	const struct mark *mark = count ? &marks[count - 1] : NULL;

	return mark && mark->is_text &&
	       mark->module_length == strlen(module->name) &&
	       !memcmp(mark->module, module->name, mark->module_length);
}
