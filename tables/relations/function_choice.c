/* SPDX-License-Identifier: MIT */
#include "tables/relations/function_choice_internal.h"

#include "symbolize/functions/function_name.h"
#include "symbolize/functions/function_table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SUGGESTIONS = 5,
	MAX_NAME = 96, /* longer names are compared by their prefix */
};

/* A name as the user wrote it. */
struct wish {
	char space; /* 'k', 'u'; 0: either */
	const char *name;
	size_t length;
};

struct function_choice {
	uint32_t count;
	bool is_chosen[]; /* by function */
};

static struct wish wish_of(const char *text, size_t length)
{
	size_t digits = 0;

	while (digits < length && isdigit((unsigned char)text[digits]))
		digits++;
	if (digits + 2 < length && text[digits + 1] == ':' &&
	    (text[digits] == 'k' || text[digits] == 'u'))
		return (struct wish){ text[digits], text + digits + 2,
				      length - digits - 2 };
	return (struct wish){ 0, text, length };
}

static bool is_meant(const struct wish *wish, const struct function *function)
{
	return (!wish->space || function->space == wish->space) &&
	       function_is_called(function, wish->name, wish->length);
}

struct function_choice *function_choice_new(const struct function_table *table,
					    const char *name, size_t length)
{
	const struct wish wish = wish_of(name, length);
	uint32_t count = function_count(table);
	struct function_choice *choice =
		calloc(1, sizeof(*choice) + count * sizeof(bool));

	if (!choice)
		return NULL;
	choice->count = count;
	for (uint32_t i = 0; i < count; i++) {
		choice->is_chosen[i] = i != FUNCTION_UNKNOWN &&
				       is_meant(&wish, function_at(table, i));
	}
	return choice;
}

void function_choice_free(struct function_choice *choice)
{
	free(choice);
}

bool function_choice_has(const struct function_choice *choice,
			 uint32_t function)
{
	return function < choice->count && choice->is_chosen[function];
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Returns the edit distance of @a and @b. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[MAX_NAME + 1];
	unsigned int size = (unsigned int)strnlen(b, MAX_NAME);

	for (unsigned int i = 0; i <= size; i++)
		row[i] = i;
	for (unsigned int at = 0; a[at] && at < MAX_NAME; at++) {
		unsigned int diagonal = row[0];

		row[0] = at + 1;
		for (unsigned int i = 1; i <= size; i++) {
			unsigned int change = diagonal + (a[at] != b[i - 1]);

			diagonal = row[i];
			row[i] = least(least(row[i], row[i - 1]) + 1, change);
		}
	}
	return row[size];
}

/* Returns the distance of @name from @meant: less is nearer. A name that
 * contains the other counts as near.
 */
static unsigned int strangeness(const char *meant, const char *name)
{
	unsigned int apart = distance(meant, name);

	if (strstr(name, meant) || (strlen(name) > 3 && strstr(meant, name)))
		return least(apart, 2) + apart / 16;
	return apart;
}

struct suggestion {
	const char *name;
	unsigned int strangeness;
};

/* Inserts @one if it is among the best, in order. */
static void consider(struct suggestion *best, struct suggestion one)
{
	for (int i = 0; i < SUGGESTIONS; i++) {
		struct suggestion other = best[i];

		if (other.name && !strcmp(other.name, one.name))
			return;
		if (other.name && other.strangeness <= one.strangeness)
			continue;
		best[i] = one;
		if (!other.name)
			return;
		one = other;
	}
}

static void list_suggestions(const struct suggestion *best, char *text,
			     size_t size)
{
	for (int i = 0; i < SUGGESTIONS && best[i].name; i++) {
		size_t used = strlen(text);

		snprintf(text + used, size - used, "%s%s",
			 i ? ", " : "; did you mean ", best[i].name);
	}
}

static void suggest(const struct function_table *table, const struct wish *wish,
		    char *text, size_t size)
{
	struct suggestion best[SUGGESTIONS] = { 0 };
	char meant[MAX_NAME + 1];
	unsigned int limit = (unsigned int)wish->length / 3 + 1;

	snprintf(meant, sizeof(meant), "%.*s", (int)wish->length, wish->name);
	for (uint32_t i = 1; i < function_count(table); i++) {
		const struct function *function = function_at(table, i);
		unsigned int strange = strangeness(meant, function->base);

		if (strange <= limit)
			consider(best, (struct suggestion){ function->base,
							    strange });
	}
	list_suggestions(best, text, size);
}

bool function_choice_check(const struct function_table *table, const char *name,
			   size_t length, char *message, size_t size)
{
	const struct wish wish = wish_of(name, length);

	for (uint32_t i = 1; i < function_count(table); i++)
		if (is_meant(&wish, function_at(table, i)))
			return true;
	snprintf(message, size, "no function '%.*s' in this recording",
		 (int)length, name);
	suggest(table, &wish, message, size);
	return false;
}
