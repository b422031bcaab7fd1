/* SPDX-License-Identifier: MIT */
#include "common/files/file_map.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Looks at everything of @table, so that a sanitizer notices accesses outside. */
static void read_all(const struct function_table *table)
{
	for (uint32_t i = 0; i < function_count(table); i++) {
		const struct function *function = function_at(table, i);

		assert(strlen(function->module) < SIZE_MAX &&
		       strlen(function->name) < SIZE_MAX);
		assert(function_table_kernel(table, function->base) ==
			       FUNCTION_NONE ||
		       function_count(table));
	}
}

static void load_functions(const uint8_t *bytes, size_t size)
{
	struct function_table *table = function_table_new();
	void *block = malloc(size + 1);

	if (!table || !block) {
		function_table_free(table);
		free(block);
		return;
	}
	memcpy(block, bytes, size);
	if (!function_table_load(table, &(struct file_map){ 0 }, block, size))
		read_all(table);
	function_table_free(table);
	free(block);
}

/* The cached symbols of a kernel after the file's header: once as the
 * functions, once as the symbols.
 */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	enum { FUNCTIONS = 4 };
	struct address_map *map = address_map_new();
	size_t count = size / sizeof(struct symbol);
	struct symbol *symbols = calloc(count + 1, sizeof(*symbols));

	load_functions(bytes, size);
	if (map && symbols) {
		memcpy(symbols, bytes, count * sizeof(*symbols));
		if (!address_map_load(map, symbols, count, FUNCTIONS))
			assert(address_map_find(map, 0)->function < FUNCTIONS);
	}
	address_map_free(map);
	free(symbols);
	return 0;
}
