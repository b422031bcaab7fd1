/* SPDX-License-Identifier: MIT */
#include "symbolize/symbols/generated_functions.h"
#include "common/error.h"
#include "decoder/recording/generated_names.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"

#include <string.h>

/* The functions of one list while they are added. */
struct adding {
	struct function_table *functions;
	struct address_map *symbols;
	const char *module;
};

static int add_run(void *ctx, const struct generated_run *run, const char *name)
{
	const struct adding *adding = ctx;
	const struct symbol symbol = {
		.start = run->start,
		.end = run->end,
		.function = function_table_add(adding->functions, name,
					       strlen(name), adding->module,
					       'u'),
	};

	return symbol.function == FUNCTION_NONE ?
		       -ERROR_MEMORY :
		       address_map_add(adding->symbols, &symbol, 0);
}

static uint32_t name_rest(void *ctx, uint64_t start)
{
	const struct adding *adding = ctx;

	(void)start;
	return function_table_add(adding->functions, GENERATED_CODE,
				  strlen(GENERATED_CODE), adding->module, 'u');
}

int generated_functions_add(const struct generated_names *names,
			    uint64_t time_ns, struct function_table *functions,
			    struct address_map **symbols)
{
	struct adding adding = {
		.functions = functions,
		.symbols = address_map_new(),
		.module = function_table_module(functions, GENERATED_CODE,
						strlen(GENERATED_CODE)),
	};
	int error = adding.symbols && adding.module ? 0 : -ERROR_MEMORY;

	*symbols = adding.symbols;
	if (!error && names)
		error = generated_names_visit(names, time_ns, add_run, &adding);
	if (!error)
		error = address_map_finish(adding.symbols);
	return error ? error :
		       address_map_fill(adding.symbols, name_rest, &adding);
}
