/* SPDX-License-Identifier: MIT */
#include "cmd/options/own_option.h"

#include <string.h>

bool own_option_takes_two(const struct own_option *option)
{
	return option->argument && strchr(option->argument, ' ');
}

/* The argument of "[BY]" is optional. */
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
