/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_CALLED_H
#define KT_SYMBOLIZE_FUNCTION_CALLED_H

#include <stdbool.h>
#include <stddef.h>

struct function;
struct name_choice;

/* Returns whether the @length bytes at @name mean @function: its name as it is
 * shown ("foo.isra.0@0x1230"), that without what tells it from others of its name
 * ("foo.isra.0"), or what the source calls it ("foo"), which means all of them.
 */
bool function_is_called(const struct function *function, const char *name,
			size_t length);

/* Returns whether any of these names is one of @choice. */
bool function_is_chosen(const struct function *function,
			const struct name_choice *choice);

#endif
