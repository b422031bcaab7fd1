/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/function_doubles.h"

#include "common/error.h"
#include "common/memory.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/functions/module_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void function_doubles_free(struct function_doubles *doubles)
{
	array_free(&doubles->numbers);
}

int function_doubles_add(struct function_doubles *doubles,
			 struct function *function, uint32_t number)
{
	if (function->is_double)
		return 0;
	if (array_append(&doubles->numbers, &number) < 0)
		return -ERROR_MEMORY;
	function->is_double = true;
	return 0;
}

static int name_double(struct function *function, struct module_list *modules,
		       struct arena *names)
{
	uint64_t start =
		function->space == 'k' ?
			module_list_of(modules, function->module)->start :
			0;
	char place[24];
	char *name;

	snprintf(place, sizeof(place), "@0x%" PRIx64,
		 function->address - start);
	name = arena_alloc(names, strlen(function->name) + strlen(place) + 1);
	if (!name)
		return -ERROR_MEMORY;
	strcpy(stpcpy(name, function->name), place);
	function->name = name;
	return 0;
}

int function_doubles_name(struct function_doubles *doubles,
			  struct function *functions,
			  struct module_list *modules, struct arena *names)
{
	const uint32_t *numbers = doubles->numbers.items;
	int status = 0;

	for (size_t i = 0; i < doubles->numbers.count && !status; i++)
		status = name_double(&functions[numbers[i]], modules, names);
	doubles->numbers.count = 0;
	return status;
}
