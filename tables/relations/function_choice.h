/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_FUNCTION_CHOICE_H
#define KT_TABLES_FUNCTION_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_table;

/* The functions that a name stands for: all that are called so, in whatever
 * module.  "k:read" and "u:read" (also "137u:read", as reports write it) mean
 * those of the kernel or of user programs only.
 */
struct function_choice;

/* Returns the functions of @table called by the @length bytes at @name, maybe
 * none; NULL when out of memory.  Borrows @table.
 */
struct function_choice *function_choice_new(const struct function_table *table,
					    const char *name, size_t length);
void function_choice_free(struct function_choice *choice);

/* Returns how many functions there are. */
uint32_t function_choice_count(const struct function_choice *choice);

/* Returns whether @function is one of them. */
bool function_choice_has(const struct function_choice *choice,
			 uint32_t function);

/* Returns whether any function is called by the @length bytes at @name; if
 * not, writes so to @message, and which have similar names.
 */
bool function_choice_check(const struct function_table *table, const char *name,
			   size_t length, char *message, size_t size);

#endif
