/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kernel_functions.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "common/name_choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool kernel_function_is(const struct kallsyms_line *symbol)
{
	return strchr("tTwW", symbol->type) != NULL;
}

static bool is_same_module(const struct kallsyms_line *a,
			   const struct kallsyms_line *b)
{
	return a->module_length == b->module_length &&
	       !memcmp(a->module, b->module, a->module_length);
}

/* Returns the distance of @function from the first one of its module. */
static uint64_t place_of(const struct kernel_symbols *symbols,
			 const struct kallsyms_line *function)
{
	struct kallsyms walk = kernel_symbols_walk(symbols);
	struct kallsyms_line symbol;
	uint64_t first = function->address;

	while (kallsyms_next(&walk, &symbol))
		if (symbol.address < first && symbol.address &&
		    kernel_function_is(&symbol) &&
		    is_same_module(&symbol, function))
			first = symbol.address;
	return function->address - first;
}

/* Returns whether one of @functions has the same @address, as an alias. */
static bool has_address(const struct kernel_functions *functions,
			uint64_t address)
{
	for (size_t i = 0; i < functions->count && i < FUNCTIONS_KEPT; i++)
		if (functions->kept[i].address == address)
			return true;
	return false;
}

static void take(struct kernel_functions *functions, int fit,
		 const struct kallsyms_line *symbol)
{
	if (fit > functions->fit)
		*functions = (struct kernel_functions){ .fit = fit };
	if (has_address(functions, symbol->address))
		return;
	if (functions->count < FUNCTIONS_KEPT)
		functions->kept[functions->count] = *symbol;
	functions->count++;
}

struct kernel_functions
kernel_functions_find(const struct kernel_symbols *symbols,
		      const struct placed_name *name,
		      int (*fit_of)(const struct kallsyms_line *symbol,
				    const char *name, size_t length))
{
	struct kernel_functions functions = { .count = 0 };
	struct kallsyms walk = kernel_symbols_walk(symbols);
	struct kallsyms_line symbol;

	while (kallsyms_next(&walk, &symbol)) {
		int fit = kernel_function_is(&symbol) ?
				  fit_of(&symbol, name->text, name->length) :
				  0;

		if (fit && fit >= functions.fit &&
		    (!name->has_place ||
		     place_of(symbols, &symbol) == name->place))
			take(&functions, fit, &symbol);
	}
	return functions;
}

static size_t write_one(const struct kernel_symbols *symbols,
			const struct kallsyms_line *function, char *text,
			size_t size)
{
	uint64_t place = place_of(symbols, function);

	if (!function->module_length)
		return (size_t)snprintf(text, size, "%.*s@0x%" PRIx64,
					(int)function->name_length,
					function->name, place);
	return (size_t)snprintf(text, size, "%.*s@0x%" PRIx64 " [%.*s]",
				(int)function->name_length, function->name,
				place, (int)function->module_length,
				function->module);
}

void kernel_functions_list(const struct kernel_symbols *symbols,
			   const struct kernel_functions *functions, char *list,
			   size_t size)
{
	size_t count = functions->count < FUNCTIONS_KEPT ? functions->count :
							   FUNCTIONS_KEPT;
	size_t length = 0;

	*list = '\0';
	for (size_t i = 0; i < count && length < size; i++) {
		if (i)
			length += (size_t)snprintf(list + length, size - length,
						   ", ");
		if (length < size)
			length += write_one(symbols, &functions->kept[i],
					    list + length, size - length);
	}
	if (functions->count > count && length < size)
		snprintf(list + length, size - length, ", ...");
}
