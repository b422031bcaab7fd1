/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/dynamic_code.h"
#include "collector/kernel_code/kcore_copy.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "common/array.h"
#include "common/error.h"

#include <string.h>

/* The names that kallsyms shows instead of a module (kernel/kallsyms.c). */
static const char *const makers[] = {
	"bpf",
	"__builtin__ftrace",
	"__builtin__kprobes",
};

static bool is_dynamic(const struct kallsyms_line *line)
{
	if (!line->module_length || !line->address)
		return false;
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (strlen(makers[i]) == line->module_length &&
		    !memcmp(makers[i], line->module, line->module_length))
			return true;
	return false;
}

static int compare(const void *a, const void *b)
{
	const struct code_range *x = a;
	const struct code_range *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void set_ends(struct array *ranges)
{
	struct code_range *items = ranges->items;

	array_sort(ranges, compare);
	for (size_t i = 0; i < ranges->count; i++) {
		items[i].end = items[i].start + DYNAMIC_CODE_LIMIT;
		if (i + 1 < ranges->count && items[i + 1].start < items[i].end)
			items[i].end = items[i + 1].start;
	}
}

int dynamic_code_find(const struct kernel_symbols *symbols,
		      struct array *ranges)
{
	struct kallsyms lines = kernel_symbols_walk_modules(symbols);
	struct kallsyms_line line;

	while (kallsyms_next(&lines, &line)) {
		struct code_range *range;

		if (!is_dynamic(&line))
			continue;
		range = array_add(ranges);
		if (!range)
			return -ERROR_MEMORY;
		range->start = line.address;
	}
	set_ends(ranges);
	return 0;
}
