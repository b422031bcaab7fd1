/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_RELATIONS_FUNCTION_CHOICE_INTERNAL_H
#define KT_TABLES_RELATIONS_FUNCTION_CHOICE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_table;

/* All functions with a name, in any module. "k:read" and "u:read" (also
 * "137u:read", as reports write it) select only those of the kernel or of user
 * programs.
 */
struct function_choice;

/* Returns the functions of @table whose name is the @length bytes at @name,
 * perhaps none; NULL when out of memory.
 */
struct function_choice *function_choice_new(const struct function_table *table,
					    const char *name, size_t length);
void function_choice_free(struct function_choice *choice);

/* Returns whether @choice contains @function. */
bool function_choice_has(const struct function_choice *choice,
			 uint32_t function);

/* Returns whether any function has the name of @length bytes at @name; if not,
 * writes an error with similar names to @message.
 */
bool function_choice_check(const struct function_table *table, const char *name,
			   size_t length, char *message, size_t size);

#endif
