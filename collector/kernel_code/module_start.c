/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/module_start.h"

#include "collector/kernel_code/code_pages.h"
#include "collector/kernel_code/module_list.h"
#include "common/array.h"
#include "common/bytes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Returns 0 if the address is unknown. */
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
