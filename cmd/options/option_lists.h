/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_OPTIONS_OPTION_LISTS_H
#define KT_CMD_OPTIONS_OPTION_LISTS_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Parses a decimal number, at most @max. Returns whether @text is valid. */
bool option_number(const char *text, uint64_t max, uint64_t *number);

/* Parses "7,9-12" and appends the 32-bit numbers to @list, each range expanded.
 * Returns whether @text is valid; numbers before an invalid one stay in @list.
 */
bool option_numbers(struct array *list, const char *text);

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
