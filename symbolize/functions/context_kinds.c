/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/context_kinds.h"

#include "symbolize/functions/function_table.h"

#include <stdlib.h>

/* This is what stands in for a kind. */
enum { USER_FUNCTION = CONTEXT_KINDS };

struct context_kinds {
	uint32_t count;
	uint8_t kinds[]; /* enum context_kind, or USER_FUNCTION */
};

struct context_kinds *context_kinds_new(const struct function_table *functions,
					const struct arch *arch)
{
	uint32_t count = function_count(functions);
	struct context_kinds *kinds = calloc(1, sizeof(*kinds) + count);

	if (!kinds)
		return NULL;
	kinds->count = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct function *function = function_at(functions, i);

		kinds->kinds[i] = function->space == 'k' ?
					  (uint8_t)arch_context_kind(
						  arch, function->name) :
					  USER_FUNCTION;
	}
	return kinds;
}

void context_kinds_free(struct context_kinds *kinds)
{
	free(kinds);
}

enum context_kind context_kind_of(const struct context_kinds *kinds,
				  uint32_t function)
{
	return function < kinds->count &&
			       kinds->kinds[function] != USER_FUNCTION ?
		       kinds->kinds[function] :
		       CONTEXT_NONE;
}

bool context_kinds_is_user(const struct context_kinds *kinds, uint32_t function)
{
	return function < kinds->count &&
	       kinds->kinds[function] == USER_FUNCTION;
}
