/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_OWN_OPTION_H
#define KT_CMD_OWN_OPTION_H

#include <stdbool.h>
#include <stdio.h>

/* An option in a command's table. */
struct own_option {
	const char *name;
	/* NULL: no argument; "A B": two arguments, passed as "A,B" in any
	 * spelling; "[A]": optional argument
	 */
	const char *argument;
	const char *help;
};

bool own_option_takes_two(const struct own_option *option);
bool own_option_takes_one_or_none(const struct own_option *option);

/* Prints a line for each of the @count options in @list. */
void own_option_print(FILE *out, const struct own_option *list, int count);

#endif
