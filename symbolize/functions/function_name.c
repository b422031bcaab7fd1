/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/function_name.h"

#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/name_choice.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From a symbol to the names of a function:
 *
 *	symbol ─► demangle(): C++, Rust, D ─► brief name ─► displayed name
 *	suffixes of clones (.isra.0, .cold, .part.1) ─► function_name_lengths()
 *
 * The displayed name is the shortest that no other function of the module has:
 * without parameters, else with parameters, else also with the address ("@0x").
 * Symbols are untrusted: a demangled name has at most DEMANGLED_MOST bytes. A
 * symbol whose name would be longer stays mangled.
 */

/* Longest demangled name in bytes. Symbols of untrusted files can expand to
 * gigabytes (substitutions that double): such a symbol keeps its mangled name,
 * or its name without parameters.
 */
enum { DEMANGLED_MOST = 8192 };

/* D's demangler has no callback that could end it, so its input is limited. */
enum { D_SYMBOL_MOST = 512, SYMBOL_MOST = 8192 };

struct output {
	jmp_buf too_long;
	size_t length;
	char text[DEMANGLED_MOST + 1];
};

/* Called by a demangler with each part of the name. Jumps out of the demangler
 * if the name becomes too long, since there is no other way to end it. The jump
 * leaks a few KB only for a Rust name that is not ASCII.
 */
static void append(const char *part, size_t length, void *opaque)
{
	struct output *output = opaque;

	if (length > DEMANGLED_MOST - output->length)
		longjmp(output->too_long, 1);
	memcpy(output->text + output->length, part, length);
	output->length += length;
}

/* Returns whether @symbol may be a Rust name: a quick test that excludes nearly
 * all C++ names. Legacy Rust names end in a hash: "17h" and 16 digits.
 */
static bool may_be_rust(const char *symbol)
{
	return symbol[1] == 'R' || strstr(symbol, "17h");
}

static bool write_name(struct output *output, const char *symbol, int options)
{
	output->length = 0;
	if (setjmp(output->too_long))
		return false;
	if (may_be_rust(symbol) &&
	    rust_demangle_callback(symbol, options, append, output))
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

/* Returns the length of @name without its parameters, which are at its end. */
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

/* Returns the demangled name of a D symbol, which the caller frees, or NULL.
 * libiberty's demangler of D always writes parameters, so these are cut off if
 * not wanted.
 */
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

/* Returns whether @component is an operator: its brackets do not enclose
 * arguments.
 */
static bool is_operator(const char *component)
{
	static const char word[] = "operator";

	return !strncmp(component, word, sizeof(word) - 1) &&
	       !isalnum((unsigned char)component[sizeof(word) - 1]) &&
	       component[sizeof(word) - 1] != '_';
}

/* Returns the number of bytes of @name from @at to the next bracket or colon,
 * or to the end.
 */
static size_t length_to_bracket(const char *name, size_t at)
{
	static const bool ends[256] = {
		['\0'] = true, [':'] = true, ['<'] = true, ['>'] = true,
		['('] = true,  [')'] = true, ['['] = true, [']'] = true,
		['{'] = true,  ['}'] = true,
	};
	size_t end = at;

	while (!ends[(unsigned char)name[end]])
		end++;
	return end - at;
}

/* Returns the length of the component at the start of @name, with its template
 * arguments. Sets *@plain to the length without them.
 */
static size_t component_length(const char *name, size_t *plain)
{
	size_t at = 0;
	int depth = 0;

	*plain = 0;
	if (is_operator(name))
		return *plain = strlen(name);
	for (at = length_to_bracket(name, 0); name[at];
	     at += 1 + length_to_bracket(name, at + 1)) {
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

/* The meaning of a word after a dot in a symbol's name. */
enum word_kind {
	WORD_OTHER, /* part of the name itself */
	WORD_NUMBER,
	WORD_SAME,  /* a part, or all, of the same function */
	WORD_CLONE, /* a separate function, made from another */
};

static const struct {
	const char *word;
	enum word_kind kind;
} words[] = {
	{ "cold", WORD_SAME },	     { "llvm", WORD_SAME },
	{ "lto_priv", WORD_SAME },   { "localalias", WORD_SAME },
	{ "part", WORD_CLONE },	     { "isra", WORD_CLONE },
	{ "constprop", WORD_CLONE },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static enum word_kind kind_of(const char *word, size_t length)
{
	size_t digits = 0;

	while (digits < length && is_digit(word[digits]))
		digits++;
	if (digits == length)
		return length ? WORD_NUMBER : WORD_OTHER;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].word) == length &&
		    memcmp(words[i].word, word, length) == 0)
			return words[i].kind;
	return WORD_OTHER;
}

/* Returns the lengths for symbol @name, which does not end in "@plt". */
static struct name_lengths lengths_of_symbol(const char *name, size_t length)
{
	struct name_lengths lengths = { .name = 0, .base = length };
	size_t group_end = length; /* end of a word and the number after it */
	const char *dot;

	while ((dot = memrchr(name, '.', lengths.base))) {
		size_t at = (size_t)(dot - name);
		enum word_kind kind = kind_of(dot + 1, lengths.base - at - 1);

		/* A name that consists only of a suffix is unchanged. */
		if (!at || kind == WORD_OTHER)
			break;
		if (kind == WORD_CLONE && !lengths.name)
			lengths.name = group_end;
		group_end = kind == WORD_NUMBER ? lengths.base : at;
		lengths.base = at;
	}
	if (!lengths.name)
		lengths.name = lengths.base;
	return lengths;
}

struct name_lengths function_name_lengths(const char *name, size_t length)
{
	static const char stub[] = "@plt";
	const size_t mark = sizeof(stub) - 1;
	struct name_lengths lengths;

	if (length <= mark || memcmp(name + length - mark, stub, mark) != 0)
		return lengths_of_symbol(name, length);
	lengths = lengths_of_symbol(name, length - mark);
	lengths.name = length;
	return lengths;
}

bool function_name_is_cold(const char *name, size_t length)
{
	static const char mark[] = ".cold";
	size_t own = function_name_lengths(name, length).name;

	return own < length &&
	       memmem(name + own, length - own, mark, sizeof(mark) - 1);
}

size_t function_name_padding(const char *name, size_t length)
{
	static const char *const marks[] = { "__pfx_", "__cfi_" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		size_t size = strlen(marks[i]);

		if (length > size && memcmp(name, marks[i], size) == 0)
			return size;
	}
	return 0;
}

bool function_name_is_mark(const char *name, size_t length)
{
	static const char *const ends[] = { "_text_start", "_text_end" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t size = strlen(ends[i]);

		if (length > size && !memcmp(name, "__", 2) &&
		    !memcmp(name + length - size, ends[i], size))
			return true;
	}
	return false;
}

bool function_name_is_label(const char *name, size_t length)
{
	static const char patched[] = "early_xen_iret_patch";

	return length == sizeof(patched) - 1 && !memcmp(name, patched, length);
}

/* Returns @text, then @suffix; NULL when out of memory. */
static const char *join(struct arena *names, const char *text,
			const char *suffix)
{
	char *name = arena_alloc(names, strlen(text) + strlen(suffix) + 1);

	if (name)
		strcpy(stpcpy(name, text), suffix);
	return name;
}

/* Names of templates may take pages: only the two ends of longer names are
 * displayed.
 */
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

/* Demangles @function if its symbol is mangled. Returns 1 if it is, 0 if not,
 * or -ERROR_MEMORY.
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

/* Changes the displayed name of @function. Returns 0 or -ERROR_MEMORY. */
typedef int name_changer(struct function *function, struct arena *names);

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

	if (function->is_double || !function->demangled || function->is_inlined)
		return 0;
	snprintf(place, sizeof(place), "@0x%" PRIx64, function->address);
	function->name = join(names, function->name, place);
	function->is_double = true;
	return function->name ? 0 : -ERROR_MEMORY;
}

/* Returns whether the @count functions of one name have several addresses, or
 * unknown ones. If not, they are symbols of one function, such as a class's
 * complete and base destructor.
 */
static bool are_several(struct function *const *functions, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (!functions[i]->address ||
		    functions[i]->address != functions[0]->address)
			return true;
	return false;
}

/* A function and the hash of its name and module, to sort by. */
struct hashed_function {
	uint64_t hash;
	struct function *function;
};

static uint64_t name_hash(const struct function *function)
{
	const char *name = function->name;

	return pack_hash(pack_hash_number(0, (uintptr_t)function->module), name,
			 strlen(name));
}

/* Calls @change for each of the @count functions that shares its name with
 * another function of its module, and appends it to @shared. The functions must
 * be in order of name. Returns 0 or -ERROR_MEMORY.
 */
static int change_shared(struct function **functions, size_t count,
			 struct arena *names, name_changer *change,
			 struct array *shared)
{
	int status = 0;

	for (size_t begin = 0, end; begin < count && !status; begin = end) {
		for (end = begin + 1;
		     end < count && is_same(functions, begin, end); end++)
			;
		if (!are_several(functions + begin, end - begin))
			continue;
		for (size_t i = begin; i < end && !status; i++) {
			status = array_append(shared, &functions[i]);
			if (!status)
				status = change(functions[i], names);
		}
	}
	return status;
}

/* Appends the functions of @all that may share their hash with another one to
 * @shared, with their hashes. Nearly all hashes differ: a counter for each of 8
 * times as many values as there are functions leaves out about 8 of 9.
 */
static int list_shared_hashes(const struct array *all, struct array *shared)
{
	enum { MANY = 2 };
	struct function *const *functions = all->items;
	struct array counters = ARRAY_OF(uint8_t);
	const size_t count = 8 * all->count + 1;
	struct hashed_function *hashed;
	size_t kept = 0;

	if (!array_reach(&counters, count - 1) ||
	    array_reserve(shared, all->count) < 0) {
		array_free(&counters);
		return -ERROR_MEMORY;
	}
	hashed = shared->items;
	for (size_t i = 0; i < all->count; i++) {
		uint64_t hash = name_hash(functions[i]);
		uint8_t *counter = array_at(&counters, hash % count);

		hashed[i] = (struct hashed_function){ hash, functions[i] };
		*counter += *counter < MANY;
	}
	for (size_t i = 0; i < all->count; i++)
		if (*(uint8_t *)array_at(&counters, hashed[i].hash % count) ==
		    MANY)
			hashed[kept++] = hashed[i];
	shared->count = kept;
	array_free(&counters);
	return 0;
}

/* Like change_shared(), for functions in any order. */
static int tell_apart(const struct array *functions, struct arena *names,
		      name_changer *change, struct array *shared)
{
	struct array hashed = ARRAY_OF(struct hashed_function);
	struct array group = ARRAY_OF(struct function *);
	const struct hashed_function *sorted;
	int status = list_shared_hashes(functions, &hashed);

	if (!status)
		status = number_sort(&hashed);
	sorted = hashed.items;
	for (size_t i = 0; i < hashed.count && !status; i++) {
		status = array_append(&group, &sorted[i].function);
		if (status || (i + 1 < hashed.count &&
			       sorted[i + 1].hash == sorted[i].hash))
			continue;
		if (group.count > 1) {
			array_sort(&group, by_name);
			status = change_shared(group.items, group.count, names,
					       change, shared);
		}
		group.count = 0;
	}
	array_free(&group);
	array_free(&hashed);
	return status;
}

/* Returns whether the name of @function is kept as it is: it was made from an
 * address ("dash+0x4a10"), or is a stub's ("read@plt"). Stubs, of which C++ has
 * many, keep mangled names: they count as calls of their functions and have no
 * rows of their own.
 */
static bool has_own_name(const struct function *function)
{
	return strchr(function->name, '+') ||
	       !strcmp(function->name + strlen(function->base), "@plt");
}

/* Demangles the names of programs' functions, and adds them to @programs.
 * Returns 1 if any was demangled, 0 if none, or -ERROR_MEMORY.
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
	struct array overloads = ARRAY_OF(struct function *);
	struct array variants = ARRAY_OF(struct function *);
	int status = demangle_all(functions, count, names, &programs);

	if (status > 0) {
		status = tell_apart(&programs, names, add_short_parameters,
				    &overloads);
		/* Only the functions in overloads got names with parameters, so
		 * only these can still share one.
		 */
		if (!status)
			status = tell_apart(&overloads, names, add_position,
					    &variants);
	}
	array_free(&programs);
	array_free(&overloads);
	array_free(&variants);
	return status;
}

static const char inlined_suffix[] = " (inlined)";

int program_names_mark_inlined(struct function *functions, uint32_t count,
			       struct arena *names)
{
	for (uint32_t i = 0; i < count; i++) {
		functions[i].name =
			join(names, functions[i].name, inlined_suffix);
		if (!functions[i].name)
			return -ERROR_MEMORY;
	}
	return 0;
}

int program_name_display(struct function *function, enum function_names names,
			 struct arena *texts)
{
	const struct demangled *demangled = function->demangled;
	const char *before = function->name;
	int status = 0;

	if (!demangled || names == FUNCTION_NAMES_BRIEF)
		return 0;
	if (names == FUNCTION_NAMES_FULL) {
		status = add_parameters(function, texts, false);
	} else {
		function->name = demangled->symbol;
		function->has_parameters = false;
	}
	if (status || !function->is_inlined || function->name == before)
		return status;
	return program_names_mark_inlined(function, 1, texts);
}

static bool is_text(const char *text, size_t size, const char *name,
		    size_t length)
{
	return size == length && !memcmp(text, name, length);
}

/* Returns the length of @name without the position or the " (inlined)" that
 * makes it unique.
 */
static size_t plain_length(const struct function *function, const char *name)
{
	const char *place = strrchr(name, '@');
	size_t length = strlen(name);
	size_t mark = strlen(inlined_suffix);

	if (function->is_inlined && length > mark &&
	    !strcmp(name + length - mark, inlined_suffix))
		return length - mark;

	return function->is_double && place ? (size_t)(place - name) : length;
}

/* The names by which a function can be called, each once, without the full one.
 */
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

/* Adds @name, and @name without the position that makes it unique. */
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

/* Returns whether the @length bytes at @text are a name in @choice. */
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
