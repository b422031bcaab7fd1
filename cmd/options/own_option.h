/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_OWN_OPTION_H
#define KT_CMD_OWN_OPTION_H

#include <stdbool.h>
#include <stdio.h>

/* An option, as a command's table has it. */
struct own_option {
	const char *name;
	const char *argument; /* NULL: it takes none; "A B": two, which come
				 * as "A,B", however they were written; "[A]":
				 * it may be left out */
	const char *help;
};

bool own_option_takes_two(const struct own_option *option);
bool own_option_takes_one_or_none(const struct own_option *option);

/* Prints a line for each of the @count options in @list. */
void own_option_print(FILE *out, const struct own_option *list, int count);

#endif
