/* SPDX-License-Identifier: MIT */
#include "cmd/options/option_lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool option_number(const char *text, uint64_t max, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno &&
	       *number <= max;
}

static bool add_number(struct array *list, uint64_t number)
{
	/* Works for int32_t and uint32_t lists. */
	uint32_t *item = array_add(list);

	if (item)
		*item = (uint32_t)number;
	return item;
}

/* Adds one "7" or "2-5". */
static bool add_range(struct array *list, const char *text)
{
	char *dash = strchr(text, '-');
	uint64_t first;
	uint64_t last;

	if (dash)
		*dash = '\0';
	if (!option_number(text, INT32_MAX, &first))
		return false;
	last = first;
	if (dash && !option_number(dash + 1, INT32_MAX, &last))
		return false;
	if (last < first || last - first > 65536)
		return false;
	for (uint64_t i = first; i <= last; i++)
		if (!add_number(list, i))
			return false;
	return true;
}

bool option_numbers(struct array *list, const char *text)
{
	char *copy = strdup(text);
	char *rest = copy;
	char *word;
	bool is_good = copy && *copy;

	while (is_good && (word = strsep(&rest, ",")))
		is_good = add_range(list, word);
	free(copy);
	return is_good;
}

bool own_option_takes_two(const struct own_option *option)
{
	return option->argument && strchr(option->argument, ' ');
}

/* Returns whether the option's argument is optional, as in "[BY]". */
bool own_option_takes_one_or_none(const struct own_option *option)
{
	return option->argument && option->argument[0] == '[';
}

static const char *separator_of(const struct own_option *option)
{
	if (own_option_takes_two(option))
		return " ";
	if (own_option_takes_one_or_none(option))
		return "[=";
	return option->argument ? "=" : "";
}

void own_option_print(FILE *out, const struct own_option *list, int count)
{
	for (int i = 0; i < count; i++) {
		const char *argument = list[i].argument ? list[i].argument : "";
		char text[64];

		snprintf(text, sizeof(text), "--%s%s%s", list[i].name,
			 separator_of(&list[i]),
			 argument + own_option_takes_one_or_none(&list[i]));
		fprintf(out, "  %-22s %s\n", text, list[i].help);
	}
}
