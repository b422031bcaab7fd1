/* SPDX-License-Identifier: MIT */
#include "view/make/system_calls.h"

#include "symbolize/arch/arch.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

static bool is_end(const char *call)
{
	return !strcmp(call, "exit") || !strcmp(call, "exit_group");
}

bool *system_calls_mark(const struct symbols *symbols, bool ends_thread)
{
	const struct function_table *functions = symbols_functions(symbols);
	uint32_t count = function_count(functions);
	bool *marks = calloc(count + 1, sizeof(*marks));

	for (uint32_t i = 0; marks && i < count; i++) {
		const struct function *function = function_at(functions, i);
		const char *call = NULL;

		if (function->space == 'k')
			call = arch_system_call(symbols_arch(symbols),
						function->base);
		marks[i] = call && (!ends_thread || is_end(call));
	}
	return marks;
}
