/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/program_names.h"

#include "common/array.h"
#include "common/error.h"
#include "common/memory.h"
#include "symbolize/functions/demangle.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns @text, then @suffix; NULL when out of memory. */
static const char *join(struct arena *names, const char *text,
			const char *suffix)
{
	char *name = arena_alloc(names, strlen(text) + strlen(suffix) + 1);

	if (name)
		strcpy(stpcpy(name, text), suffix);
	return name;
}

/* Names of templates may take pages: the ends of longer ones are displayed. */
enum { NAME_END = 120, NAME_MOST = 2 * NAME_END + 10 };

static bool continues_character(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80; /* UTF-8 */
}

/* Returns @name, or if it is long its beginning and its end; NULL when out of
 * memory.
 */
static const char *shortened(struct arena *names, const char *name)
{
	size_t size = strlen(name);
	size_t length = NAME_END;
	char begin[NAME_END + 4];
	const char *end;

	if (size <= NAME_MOST)
		return name;
	end = name + size - NAME_END;
	while (continues_character(name[length]))
		length--;
	while (continues_character(*end))
		end++;
	memcpy(begin, name, length);
	strcpy(begin + length, "...");
	return join(names, begin, end);
}

/* Names @function by @brief, the demangled name of its symbol without suffixes.
 * Returns 0 or -ERROR_MEMORY.
 */
static int name_it(struct function *function, struct arena *names,
		   const char *brief)
{
	const struct demangled_base base = demangled_base(brief);
	size_t length = strlen(function->base);
	struct demangled *demangled = arena_alloc(names, sizeof(*demangled));

	assert(!strncmp(function->name, function->base, length));
	if (!demangled)
		return -ERROR_MEMORY;
	*demangled = (struct demangled){
		.symbol = function->name,
		.brief = join(names, brief, function->name + length),
		.base_length = length,
	};
	function->demangled = demangled;
	if (!demangled->brief)
		return -ERROR_MEMORY;
	function->name = shortened(names, demangled->brief);
	function->base = arena_text(names, brief + base.start, base.length);
	return function->name && function->base ? 0 : -ERROR_MEMORY;
}

/* Demangles @function if its symbol is mangled. Returns 1 if it is, 0, or
 * -ERROR_MEMORY.
 */
static int demangle_one(struct function *function, struct arena *names)
{
	char *name = demangle(function->base, false);
	int status = name ? name_it(function, names, name) : 0;

	free(name);
	return status || !function->demangled ? status : 1;
}

char *function_full_name(const struct function *function)
{
	const struct demangled *demangled = function->demangled;
	char *symbol;
	char *full;
	char *name = NULL;

	if (!demangled)
		return strdup(function->name);
	symbol = strndup(demangled->symbol, demangled->base_length);
	full = symbol ? demangle(symbol, true) : NULL;
	free(symbol);
	/* The name with parameters may be too long to be demangled. */
	if (!full)
		return strdup(demangled->brief);
	if (asprintf(&name, "%s%s", full,
		     demangled->symbol + demangled->base_length) < 0)
		name = NULL;
	free(full);
	return name;
}

static int by_name(const void *left, const void *right)
{
	const struct function *a = *(struct function *const *)left;
	const struct function *b = *(struct function *const *)right;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return strcmp(a->name, b->name);
}

static bool is_same(struct function *const *functions, size_t a, size_t b)
{
	return !by_name(&functions[a], &functions[b]);
}

/* Displays @function with its parameters, if it has any. Returns 0 or
 * -ERROR_MEMORY.
 */
static int add_parameters(struct function *function, struct arena *names,
			  bool is_shortened)
{
	const struct demangled *demangled = function->demangled;
	char *full;
	const char *name;

	if (!demangled || function->has_parameters)
		return 0;
	full = function_full_name(function);
	name = full ? join(names, full, "") : NULL;
	free(full);
	if (!name)
		return -ERROR_MEMORY;
	if (!strcmp(demangled->brief, name))
		return 0;
	function->name = is_shortened ? shortened(names, name) : name;
	function->has_parameters = true;
	return function->name ? 0 : -ERROR_MEMORY;
}

static int add_short_parameters(struct function *function, struct arena *names)
{
	return add_parameters(function, names, true);
}

static int add_position(struct function *function, struct arena *names)
{
	char place[24];

	if (function->is_double || !function->demangled)
		return 0;
	snprintf(place, sizeof(place), "@0x%" PRIx64, function->address);
	function->name = join(names, function->name, place);
	function->is_double = true;
	return function->name ? 0 : -ERROR_MEMORY;
}

/* Calls @change for each of the @count functions that shares its name with
 * another one of its module. Returns 0 or -ERROR_MEMORY.
 */
static int
tell_apart(struct function **functions, size_t count, struct arena *names,
	   int (*change)(struct function *function, struct arena *names))
{
	int status = 0;

	if (count)
		qsort(functions, count, sizeof(*functions), by_name);
	for (size_t begin = 0, end; begin < count && !status; begin = end) {
		for (end = begin + 1;
		     end < count && is_same(functions, begin, end); end++)
			;
		for (size_t i = begin; i < end && end > begin + 1 && !status;
		     i++)
			status = change(functions[i], names);
	}
	return status;
}

/* Returns whether the name is not a symbol, so that no other function has it:
 * "dash+0x4a10", "read@plt". Stubs, which are many in C++, keep mangled names:
 * they count as calls of their functions and have no rows of their own.
 */
static bool has_own_name(const struct function *function)
{
	return strchr(function->name, '+') ||
	       !strcmp(function->name + strlen(function->base), "@plt");
}

/* Demangles the names of programs' functions, all of which it adds to @programs.
 * Returns 1 if any is demangled, 0, or -ERROR_MEMORY.
 */
static int demangle_all(struct function *functions, uint32_t count,
			struct arena *names, struct array *programs)
{
	int found = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct function *function = &functions[i];
		int status;

		if (function->space != 'u' || has_own_name(function))
			continue;
		status = demangle_one(function, names);
		if (status < 0 || array_append(programs, &function) < 0)
			return -ERROR_MEMORY;
		found |= status;
	}
	return found;
}

int program_names_demangle(struct function *functions, uint32_t count,
			   struct arena *names)
{
	struct array programs = ARRAY_OF(struct function *);
	int status = demangle_all(functions, count, names, &programs);

	if (status > 0) {
		status = tell_apart(programs.items, programs.count, names,
				    add_short_parameters);
		if (!status)
			status = tell_apart(programs.items, programs.count,
					    names, add_position);
	}
	array_free(&programs);
	return status;
}

int program_name_display(struct function *function, enum function_names names,
			 struct arena *texts)
{
	const struct demangled *demangled = function->demangled;

	if (!demangled || names == FUNCTION_NAMES_BRIEF)
		return 0;
	if (names == FUNCTION_NAMES_FULL)
		return add_parameters(function, texts, false);
	function->name = demangled->symbol;
	function->has_parameters = false;
	return 0;
}
