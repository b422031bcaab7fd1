/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/function_called.h"

#include "common/name_choice.h"
#include "symbolize/functions/demangle.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

static bool is_text(const char *text, size_t size, const char *name,
		    size_t length)
{
	return size == length && !memcmp(text, name, length);
}

/* Returns the length of @name without the position of a double. */
static size_t plain_length(const struct function *function, const char *name)
{
	const char *place = strrchr(name, '@');

	return function->is_double && place ? (size_t)(place - name) :
					      strlen(name);
}

/* The names that a function answers to, each once, without the full one. */
struct called {
	struct {
		const char *text;
		size_t length;
	} names[10];
	size_t count;
};

static void add(struct called *called, const char *text, size_t length)
{
	for (size_t i = 0; i < called->count; i++)
		if (is_text(called->names[i].text, called->names[i].length,
			    text, length))
			return;
	called->names[called->count].text = text;
	called->names[called->count++].length = length;
}

/* Adds a name, and it without the position of a double. */
static void add_name(struct called *called, const struct function *function,
		     const char *name)
{
	add(called, name, strlen(name));
	add(called, name, plain_length(function, name));
}

static struct called called_of(const struct function *function)
{
	const struct demangled *demangled = function->demangled;
	struct called called = { .count = 0 };

	add_name(&called, function, function->name);
	add(&called, function->base, strlen(function->base));
	if (demangled) {
		const struct demangled_base base =
			demangled_base(demangled->brief);

		add_name(&called, function, demangled->symbol);
		add_name(&called, function, demangled->brief);
		add(&called, demangled->brief,
		    base.start + strlen(function->base));
	}
	return called;
}

/* Returns whether the @length bytes at @name are @function's name with its
 * parameters.
 */
static bool is_full_name(const struct function *function, const char *name,
			 size_t length)
{
	char *full = function->demangled ? function_full_name(function) : NULL;
	bool is_full = full && is_text(full, strlen(full), name, length);

	free(full);
	return is_full;
}

bool function_is_called(const struct function *function, const char *name,
			size_t length)
{
	struct called called = called_of(function);

	for (size_t i = 0; i < called.count; i++)
		if (is_text(called.names[i].text, called.names[i].length, name,
			    length))
			return true;
	return is_full_name(function, name, length);
}

/* Returns whether @choice has the @length bytes at @text. */
static bool has_text(const struct name_choice *choice, const char *text,
		     size_t length)
{
	char *copy;
	bool has;

	if (!text[length])
		return name_choice_has(choice, text);
	copy = strndup(text, length);
	has = copy && name_choice_has(choice, copy);
	free(copy);
	return has;
}

static bool has_full_name(const struct name_choice *choice,
			  const struct function *function)
{
	char *full = function->demangled ? function_full_name(function) : NULL;
	bool has = full && name_choice_has(choice, full);

	free(full);
	return has;
}

bool function_is_chosen(const struct function *function,
			const struct name_choice *choice)
{
	struct called called = called_of(function);

	for (size_t i = 0; i < called.count; i++)
		if (has_text(choice, called.names[i].text,
			     called.names[i].length))
			return true;
	return has_full_name(choice, function);
}
