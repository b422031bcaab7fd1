/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_OPTION_LISTS_H
#define KT_CMD_OPTION_LISTS_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

/* Arguments of options that are numbers or lists.  Each returns whether @text
 * is one; what a wrong list began with stays in the array.
 */

/* A decimal number, at most @max. */
bool option_number(const char *text, uint64_t max, uint64_t *number);

/* "7,9-12": appended to @list, of 32-bit numbers, each range in full. */
bool option_numbers(struct array *list, const char *text);

#endif
