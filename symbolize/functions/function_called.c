/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/function_called.h"

#include "common/name_choice.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

static bool is_text(const char *text, size_t size, const char *name,
		    size_t length)
{
	return size == length && !memcmp(text, name, length);
}

/* Returns the length of the name without the position of a double. */
static size_t plain_length(const struct function *function)
{
	const char *place = strrchr(function->name, '@');

	return function->is_double && place ? (size_t)(place - function->name) :
					      strlen(function->name);
}

bool function_is_called(const struct function *function, const char *name,
			size_t length)
{
	return is_text(function->name, strlen(function->name), name, length) ||
	       is_text(function->name, plain_length(function), name, length) ||
	       is_text(function->base, strlen(function->base), name, length);
}

static bool is_plain_chosen(const struct function *function,
			    const struct name_choice *choice)
{
	char *plain = strndup(function->name, plain_length(function));
	bool is_chosen = plain && name_choice_has(choice, plain);

	free(plain);
	return is_chosen;
}

bool function_is_chosen(const struct function *function,
			const struct name_choice *choice)
{
	return name_choice_has(choice, function->name) ||
	       (function->base != function->name &&
		name_choice_has(choice, function->base)) ||
	       (function->is_double && is_plain_chosen(function, choice));
}
