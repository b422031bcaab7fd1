/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_OPTION_LISTS_H
#define KT_CMD_OPTION_LISTS_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

/* Parse option arguments that are numbers or lists. Each function returns
 * whether @text is valid; elements before an invalid one stay in the array.
 */

/* Parses a decimal number, at most @max. */
bool option_number(const char *text, uint64_t max, uint64_t *number);

/* Parses "7,9-12" and appends the 32-bit numbers to @list, each range expanded.
 */
bool option_numbers(struct array *list, const char *text);

#endif
