/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_TABLE_H
#define KT_SYMBOLIZE_FUNCTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions as numbers.
 *
 * A function is an entry of the kernel, a module or a program: those of one
 * name and different addresses are different functions, whose names then have
 * the address, and so are clones (foo.part.0, foo.isra.0, foo.constprop.1).
 * Cold parts (foo.cold) share their function's number.
 */
struct function_table;

/* The function of addresses that no symbol covers; always there. */
#define FUNCTION_UNKNOWN 0

/* Returned in place of a number when out of memory. */
#define FUNCTION_NONE UINT32_MAX

struct function {
	const char *name;   /* as it is shown: "foo.isra.0", and, if others
				 * of its module are called so, too, with its
				 * place there: "foo.isra.0@0x1230" */
	const char *base;   /* as the source calls it, "foo": rules and
				 * choices by name go by it */
	const char *module; /* "" for the kernel proper, else a module's
				 * name or a user program's path */
	uint64_t address;   /* of its entry; 0 if unknown */
	char space;	    /* 'k' kernel, 'u' user */
	bool is_double;	    /* others of its module have its name */
};

/* Returns NULL when out of memory. */
struct function_table *function_table_new(void);
void function_table_free(struct function_table *table);

/* Makes room for @count functions, about as many as will be added.
 * Returns 0 or -ERROR_MEMORY.
 */
int function_table_reserve(struct function_table *table, size_t count);

/* Returns the number of the first function that is called as symbol @name
 * (@length bytes, with suffixes and all) says, adding one without address if
 * there is none; FUNCTION_NONE when out of memory.
 *
 * @module is a text from function_table_module().
 */
uint32_t function_table_add(struct function_table *table, const char *name,
			    size_t length, const char *module, char space);

/* The same for a symbol that is the entry of a function, at @address: returns
 * the function of that name and address.
 */
uint32_t function_table_add_entry(struct function_table *table,
				  const char *name, size_t length,
				  const char *module, char space,
				  uint64_t address);

/* Adds the functions of @other, whose modules' functions are all there, to the end of
 * @table, in which they are found by number alone; @other is gone then.
 *
 * Returns what is to be added to their numbers, but FUNCTION_UNKNOWN, which both
 * have; FUNCTION_NONE when out of memory.
 */
uint32_t function_table_join(struct function_table *table,
			     struct function_table *other);

/* Adds @address to the entries of function @number: its own is the lowest. */
void function_table_locate(struct function_table *table, uint32_t number,
			   uint64_t address);

/* Returns the numbers of the functions that share their names with others of
 * their module and are not named by function_table_name_doubles() yet.  Those of
 * one name have one text for a base, which no others have.
 * Owner: the table, up to the next change of it.
 */
const uint32_t *function_table_doubles(const struct function_table *table,
				       size_t *count);

/* Gives these names that say which is which: their place behind the first
 * function of the kernel or the module, which is the same after each boot, or in
 * the program's file.  Returns 0 or -ERROR_MEMORY.
 */
int function_table_name_doubles(struct function_table *table);

/* Returns the table's copy of the @length bytes at @name: equal names give
 * equal pointers.  Owner: the table.  NULL when out of memory.
 */
const char *function_table_module(struct function_table *table,
				  const char *name, size_t length);

/* Returns the number of the function @name of the kernel proper, else of the
 * first clone of it, FUNCTION_NONE if there is none.
 */
uint32_t function_table_kernel(const struct function_table *table,
			       const char *name);

const struct function *function_at(const struct function_table *table,
				   uint32_t number);
uint32_t function_count(const struct function_table *table);

/* Returns a number for the functions that were added, with names, modules and
 * addresses, and their order: another where any of it is another, but for the chance
 * of 64 bits.
 */
uint64_t function_table_digest(const struct function_table *table);

#endif
