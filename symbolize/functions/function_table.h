/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_TABLE_H
#define KT_SYMBOLIZE_FUNCTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions as numbers.
 *
 * A function is a name within a module: its pieces (foo.cold, foo.part.0,
 * foo.isra.0, foo.constprop.1) and equally named copies in one module share
 * its number, because nobody could tell them apart in a report either.
 */
struct function_table;

/* The function of addresses that no symbol covers; always there. */
#define FUNCTION_UNKNOWN 0

/* Returned in place of a number when out of memory. */
#define FUNCTION_NONE UINT32_MAX

struct function {
	const char *name;   /* without the suffixes of its pieces */
	const char *module; /* "" for the kernel proper, else a module's
				 * name or a user program's path */
	uint64_t address;   /* of its lowest entry seen; 0 if unknown */
	char space;	    /* 'k' kernel, 'u' user */
};

/* Returns NULL when out of memory. */
struct function_table *function_table_new(void);
void function_table_free(struct function_table *table);

/* Makes room for @count functions, about as many as will be added.
 * Returns 0 or -ERROR_MEMORY.
 */
int function_table_reserve(struct function_table *table, size_t count);

/* Returns the number of the function that symbol @name (@length bytes, with
 * suffixes and all) is a piece of, adding it if it is new.
 *
 * @module is a text from function_table_module().
 */
uint32_t function_table_add(struct function_table *table, const char *name,
			    size_t length, const char *module, char space);

/* Adds @address to the entries of function @number. */
void function_table_locate(struct function_table *table, uint32_t number,
			   uint64_t address);

/* Returns the table's copy of the @length bytes at @name: equal names give
 * equal pointers.  Owner: the table.  NULL when out of memory.
 */
const char *function_table_module(struct function_table *table,
				  const char *name, size_t length);

/* Returns whether a function is called @name, in any module. */
bool function_table_has(const struct function_table *table, const char *name);

/* Returns the number of the function @name of the kernel proper, FUNCTION_NONE if
 * there is none.
 */
uint32_t function_table_kernel(const struct function_table *table,
			       const char *name);

const struct function *function_at(const struct function_table *table,
				   uint32_t number);
uint32_t function_count(const struct function_table *table);

#endif
