/* SPDX-License-Identifier: MIT */
#include "collector/trigger/function_names.h"
#include "collector/kernel_code/kernel_functions.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "common/name_choice.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SUGGESTIONS = 3, LONGEST = 64 };

/* How well a symbol matches the name. */
enum fit { FITS_NOT, FITS_PART, FITS_FUNCTION, FITS_CALL };

/* Returns whether @symbol is a clone that the compiler made of the function
 * whose name is the first @length bytes. A cold part is not a clone, since it
 * is only jumped to.
 */
static bool is_clone(const struct kallsyms_line *symbol, size_t length)
{
	const char *rest = symbol->name + length;
	size_t size = symbol->name_length - length;

	return ((size > 6 && !memcmp(rest, ".isra.", 6)) ||
		(size > 11 && !memcmp(rest, ".constprop.", 11))) &&
	       !memmem(rest, size, ".cold", 5);
}

static int fit_of(const struct kallsyms_line *symbol, const char *name,
		  size_t length)
{
	const size_t prefix = strlen(SYSTEM_CALL_PREFIX);

	if (symbol->name_length == prefix + length &&
	    !memcmp(symbol->name, SYSTEM_CALL_PREFIX, prefix) &&
	    !memcmp(symbol->name + prefix, name, length))
		return FITS_CALL;
	if (symbol->name_length < length || memcmp(symbol->name, name, length))
		return FITS_NOT;
	if (symbol->name_length == length)
		return FITS_FUNCTION;
	return is_clone(symbol, length) ? FITS_PART : FITS_NOT;
}

size_t function_name_find(const struct kernel_symbols *symbols,
			  const char *name, char *function, size_t size)
{
	struct kernel_functions functions = { .count = 0 };
	const struct kallsyms_line *found = &functions.kept[0];
	struct placed_name wanted;

	if (placed_name_read(name, strlen(name), &wanted))
		functions = kernel_functions_find(symbols, &wanted, fit_of);
	if (functions.count > 1)
		kernel_functions_list(symbols, &functions, function, size);
	else if (functions.count && wanted.has_place)
		snprintf(function, size, "0x%" PRIx64, found->address);
	else if (functions.count)
		snprintf(function, size, "%.*s", (int)found->name_length,
			 found->name);
	return functions.count;
}

/* Returns how many letters must be inserted, deleted or changed to turn one
 * name into the other (Levenshtein distance).
 */
static size_t distance(const char *a, size_t a_length, const char *b,
		       size_t b_length)
{
	size_t row[LONGEST + 1];

	for (size_t j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			size_t change = diagonal + (a[i - 1] != b[j - 1]);
			size_t other = row[j] < row[j - 1] ? row[j] :
							     row[j - 1];

			diagonal = row[j];
			row[j] = change <= other ? change : other + 1;
		}
	}
	return row[b_length];
}

struct suggestion {
	char name[LONGEST + 1];
	size_t distance;
};

/* Inserts @one into @best, which is sorted by distance, if it is near enough.
 */
static void consider(struct suggestion *best, struct suggestion one)
{
	for (int i = 0; i < SUGGESTIONS; i++) {
		struct suggestion other = best[i];

		if (!strcmp(one.name, other.name))
			return;
		if (other.distance <= one.distance)
			continue;
		best[i] = one;
		one = other;
	}
}

static void look_at(struct suggestion *best, const struct kallsyms_line *symbol,
		    const char *name)
{
	const size_t prefix = strlen(SYSTEM_CALL_PREFIX);
	struct suggestion one;
	const char *text = symbol->name;
	size_t length = symbol->name_length;
	size_t wanted = strlen(name);
	size_t difference;

	if (length > prefix && !memcmp(text, SYSTEM_CALL_PREFIX, prefix)) {
		text += prefix;
		length -= prefix;
	}
	difference = length > wanted ? length - wanted : wanted - length;
	if (!kernel_function_is(symbol) || length > LONGEST ||
	    wanted > LONGEST || difference >= best[SUGGESTIONS - 1].distance)
		return;
	snprintf(one.name, sizeof(one.name), "%.*s", (int)length, text);
	one.distance = distance(name, wanted, text, length);
	if (one.distance < best[SUGGESTIONS - 1].distance)
		consider(best, one);
}

void function_name_suggest(const struct kernel_symbols *symbols,
			   const char *name, char *list, size_t size)
{
	struct suggestion best[SUGGESTIONS];
	struct kallsyms_line symbol;
	struct kallsyms walk = kernel_symbols_walk(symbols);
	size_t length = 0;

	/* A third of the letters may be wrong. */
	for (int i = 0; i < SUGGESTIONS; i++)
		best[i] = (struct suggestion){ "", strlen(name) / 3 + 2 };
	while (kallsyms_next(&walk, &symbol))
		look_at(best, &symbol, name);
	*list = '\0';
	for (int i = 0; i < SUGGESTIONS && best[i].name[0]; i++)
		if (length < size)
			length += (size_t)snprintf(list + length, size - length,
						   "%s%s", i ? ", " : "",
						   best[i].name);
}
