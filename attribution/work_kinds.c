/* SPDX-License-Identifier: MIT */
#include "attribution/work_kinds.h"

#include "symbolize/symbols.h"

#include <stdlib.h>

struct work_kinds {
	uint32_t count;
	uint8_t kinds[];	/* enum work_kind */
};

struct work_kinds *work_kinds_new(const struct symbols *symbols)
{
	const struct function_table *functions = symbols_functions(symbols);
	const struct arch *arch = symbols_arch(symbols);
	uint32_t count = function_count(functions);
	struct work_kinds *kinds = calloc(1, sizeof(*kinds) + count);

	if (!kinds)
		return NULL;
	kinds->count = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct function *function = function_at(functions, i);

		if (function->space == 'k')
			kinds->kinds[i] = (uint8_t)arch_work_kind(
				arch, function->name);
	}
	return kinds;
}

void work_kinds_free(struct work_kinds *kinds)
{
	free(kinds);
}

enum work_kind work_kind_of(const struct work_kinds *kinds, uint32_t function)
{
	return function < kinds->count ? kinds->kinds[function] : WORK_NONE;
}
