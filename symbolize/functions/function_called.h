/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_CALLED_H
#define KT_SYMBOLIZE_FUNCTION_CALLED_H

#include <stdbool.h>
#include <stddef.h>

struct function;
struct name_choice;

/* Returns whether the @length bytes at @name match @function: its displayed
 * name ("foo.isra.0@0x1230"), that without the position that makes it unique
 * ("foo.isra.0"), or its name in the source ("foo"), which matches all clones.
 * A demangled function has more: its symbol, its name with all parameters and
 * without ("shop::cost<int>"), and that without template arguments.
 */
bool function_is_called(const struct function *function, const char *name,
			size_t length);

/* Returns whether any of these names of @function is in @choice. */
bool function_is_chosen(const struct function *function,
			const struct name_choice *choice);

#endif
