/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/work_kinds.h"

#include "symbolize/functions/function_table.h"

#include <stdlib.h>

/* What stands in for a kind. */
enum { USER_FUNCTION = WORK_KINDS };

struct work_kinds {
	uint32_t count;
	uint8_t kinds[]; /* enum work_kind, or USER_FUNCTION */
};

struct work_kinds *work_kinds_new(const struct function_table *functions,
				  const struct arch *arch)
{
	uint32_t count = function_count(functions);
	struct work_kinds *kinds = calloc(1, sizeof(*kinds) + count);

	if (!kinds)
		return NULL;
	kinds->count = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct function *function = function_at(functions, i);

		kinds->kinds[i] =
			function->space == 'k' ?
				(uint8_t)arch_work_kind(arch, function->name) :
				USER_FUNCTION;
	}
	return kinds;
}

void work_kinds_free(struct work_kinds *kinds)
{
	free(kinds);
}

enum work_kind work_kind_of(const struct work_kinds *kinds, uint32_t function)
{
	return function < kinds->count &&
			       kinds->kinds[function] != USER_FUNCTION ?
		       kinds->kinds[function] :
		       WORK_NONE;
}

bool work_kinds_is_user(const struct work_kinds *kinds, uint32_t function)
{
	return function < kinds->count &&
	       kinds->kinds[function] == USER_FUNCTION;
}
