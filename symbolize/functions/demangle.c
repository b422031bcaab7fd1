/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/demangle.h"

#include "common/name_choice.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* D's demangler has no callback that could end it, so its input is limited. */
enum { D_SYMBOL_MOST = 512, SYMBOL_MOST = 8192 };

struct output {
	jmp_buf too_long;
	size_t length;
	char text[DEMANGLED_MOST + 1];
};

/* Demanglers have no way to end early but this: they call this function with each
 * part of the name. They hold no memory meanwhile, except for a Rust name that is
 * not ASCII: then a few KB leak.
 */
static void append(const char *part, size_t length, void *opaque)
{
	struct output *output = opaque;

	if (length > DEMANGLED_MOST - output->length)
		longjmp(output->too_long, 1);
	memcpy(output->text + output->length, part, length);
	output->length += length;
}

static bool write_name(struct output *output, const char *symbol, int options)
{
	output->length = 0;
	if (setjmp(output->too_long))
		return false;
	if (rust_demangle_callback(symbol, options, append, output))
		return true;
	output->length = 0;
	return symbol[1] != 'R' &&
	       cplus_demangle_v3_callback(symbol, options, append, output);
}

/* Returns whether @symbol may be mangled: a quick test of most symbols. */
static bool is_mangled(const char *symbol)
{
	return symbol[0] == '_' &&
	       (symbol[1] == 'Z' || symbol[1] == 'R' || symbol[1] == 'D');
}

/* Returns the length of @name without parameters, which end it. */
static size_t length_without_parameters(const char *name)
{
	size_t length = strlen(name);
	size_t at = length;
	int depth = 0;

	if (!length || name[length - 1] != ')')
		return length;
	while (at--) {
		depth += (name[at] == ')') - (name[at] == '(');
		if (!depth)
			break;
	}
	return depth ? length : at;
}

/* libiberty's demangler of D always writes parameters. */
static char *demangle_d(const char *symbol, bool with_parameters)
{
	char *name = dlang_demangle(symbol, 0);

	if (name && !with_parameters)
		name[length_without_parameters(name)] = '\0';
	return name;
}

char *demangle(const char *symbol, bool with_parameters)
{
	int options = with_parameters ? DMGL_PARAMS | DMGL_ANSI : DMGL_ANSI;
	size_t length = is_mangled(symbol) ? strlen(symbol) : 0;
	struct output output;

	if (length < 4 || length > SYMBOL_MOST)
		return NULL;
	if (symbol[1] == 'D')
		return length > D_SYMBOL_MOST ?
			       NULL :
			       demangle_d(symbol, with_parameters);
	return write_name(&output, symbol, options) ?
		       strndup(output.text, output.length) :
		       NULL;
}

/* Returns whether a component is an operator's: its brackets are no arguments'. */
static bool is_operator(const char *component)
{
	static const char word[] = "operator";

	return !strncmp(component, word, sizeof(word) - 1) &&
	       !isalnum((unsigned char)component[sizeof(word) - 1]) &&
	       component[sizeof(word) - 1] != '_';
}

/* Returns the length of the component at the start of @name, with its template
 * arguments; @plain is the length without.
 */
static size_t component_length(const char *name, size_t *plain)
{
	size_t at = 0;
	int depth = 0;

	*plain = 0;
	if (is_operator(name))
		return *plain = strlen(name);
	for (; name[at]; at++) {
		bool is_end = !depth && name[at] == ':' && name[at + 1] == ':';
		bool is_turbofish = is_end && name[at + 2] == '<';

		if (!depth && !*plain && at &&
		    (name[at] == '<' || is_turbofish))
			*plain = at;
		if (is_end && !is_turbofish)
			break;
		depth += brackets_change(name, at);
	}
	if (!*plain)
		*plain = at;
	return at;
}

struct demangled_base demangled_base(const char *name)
{
	struct demangled_base base = { 0 };

	for (;;) {
		size_t length =
			component_length(name + base.start, &base.length);

		if (!name[base.start + length])
			return base;
		base.start += length + 2;
	}
}
