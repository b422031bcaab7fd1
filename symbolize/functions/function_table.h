/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTIONS_FUNCTION_TABLE_H
#define KT_SYMBOLIZE_FUNCTIONS_FUNCTION_TABLE_H

#include "symbolize/functions/function_name.h"

#include <stddef.h>
#include <stdint.h>

/* Functions as numbers: call events, call trees and tables contain a function's
 * number instead of its names.
 *
 *	kernel_symbols.h ──────► the kernel's table ◄─ function_table_join() ────┐
 *	user_space_internal.h ─► the programs' table ─ function_table_demangle() ┘
 *
 * A function is an entry of the kernel, a module or a program. Functions that
 * share a name but have different addresses have different numbers; their names
 * then include the position. Clones (foo.part.0, foo.isra.0, foo.constprop.1)
 * are functions of their own. Cold parts (foo.cold) share their function's
 * number.
 *
 * The kernel's symbols and the programs' are read into a table each, so that
 * two threads can do it. The joined table is complete and constant, except for
 * function_table_display(): threads may share it.
 *
 * 1. Number 0 is FUNCTION_UNKNOWN; numbers never change, except by
 *    function_table_join(), which adds one constant to all numbers of the table
 *    that it appends.
 * 2. Equal names of modules are equal pointers: function_table_module().
 * 3. While symbols are added, a function is found by name, module, space and
 *    address; functions joined or demangled are found by number only.
 * 4. Strings belong to the table and are valid until function_table_free().
 *
 * Only lack of memory is an error; functions that return a number then return
 * FUNCTION_NONE.
 */
struct function_table;

struct byte_buffer;
struct file_map;

/* The function of addresses that no symbol covers; every table has it. */
#define FUNCTION_UNKNOWN 0

/* Returned in place of a number when out of memory. */
#define FUNCTION_NONE UINT32_MAX

/* Returns NULL when out of memory. */
struct function_table *function_table_new(void);
void function_table_free(struct function_table *table);

/* Reserves memory for about @count functions. Returns 0 or -ERROR_MEMORY. */
int function_table_reserve(struct function_table *table, size_t count);

/* Returns the number of the first function with the name of symbol @name
 * (@length bytes, including suffixes), adding one without address if there is
 * none; FUNCTION_NONE when out of memory.
 *
 * @module must be a text from function_table_module().
 */
uint32_t function_table_add(struct function_table *table, const char *name,
			    size_t length, const char *module, char space);

/* Like function_table_add(), for a symbol that is the entry of a function at
 * @address: returns the function of that name and address.
 */
uint32_t function_table_add_entry(struct function_table *table,
				  const char *name, size_t length,
				  const char *module, char space,
				  uint64_t address);

/* A call that the compiler replaced by the function's code. The calls inlined
 * into one function form a tree: a call is nested in its parent.
 */
struct inlined_site {
	uint32_t function;
	uint32_t parent; /* number of the call around it; 0: none */
	uint32_t depth;	 /* 1: inlined into the function itself */
};

/* The maximum depth of inlined calls. */
enum { INLINED_SITES_NESTED = 32 };

/* Adds a function for the inlined calls of @name in @module, a text from
 * function_table_module(). It differs from the function that is called under
 * the same name: function_table_name_inlined() appends " (inlined)" to its
 * name. Returns its number; FUNCTION_NONE when out of memory.
 */
uint32_t function_table_add_inlined(struct function_table *table,
				    const char *name, const char *module);

/* Adds an inlined call of @function (from function_table_add_inlined()) within
 * the inlined call @parent (0: none). Returns its number, from 1 on; 0 when out
 * of memory.
 */
uint32_t function_table_add_site(struct function_table *table,
				 uint32_t function, uint32_t parent);

const struct inlined_site *
function_table_site(const struct function_table *table, uint32_t site);

/* Returns the number of inlined calls, which is also the number of the last
 * one.
 */
uint32_t function_table_sites(const struct function_table *table);

/* Sets the displayed names of the functions from number @first on, which must
 * all be from function_table_add_inlined(): demangles them and appends "
 * (inlined)". Returns 0 or -ERROR_MEMORY.
 */
int function_table_name_inlined(struct function_table *table, uint32_t first);

/* Appends the functions of @other to @table, where they can be found by number
 * only. Frees @other. No module may have functions in both tables.
 *
 * Returns the difference of the new and the old numbers, except of
 * FUNCTION_UNKNOWN, which both tables share; FUNCTION_NONE when out of memory.
 */
uint32_t function_table_join(struct function_table *table,
			     struct function_table *other);

/* Declares that @address is an entry of function @number. The lowest entry
 * declared is the function's address.
 */
void function_table_locate(struct function_table *table, uint32_t number,
			   uint64_t address);

/* Returns the numbers of the functions that share their names with others of
 * their module and have no unique names from function_table_name_doubles() yet.
 * Functions that share a name share one base text (the same pointer), which no
 * other function has. The table owns the result; valid until its next change.
 */
const uint32_t *function_table_doubles(const struct function_table *table,
				       size_t *count);

/* Makes the names of function_table_doubles() unique by appending a position
 * that is the same after each boot: in the kernel the offset from the first
 * function of the kernel or the module, in a program the file's own address.
 * Returns 0 or -ERROR_MEMORY.
 */
int function_table_name_doubles(struct function_table *table);

/* Changes the displayed names from FUNCTION_NAMES_BRIEF, with which a table
 * starts, to @names. Changes the table's digest. Returns 0 or -ERROR_MEMORY.
 */
int function_table_display(struct function_table *table,
			   enum function_names names);

/* Demangles the names of programs' functions, once, after all were added. From
 * then on they can be found by number only. Returns 0 or -ERROR_MEMORY.
 */
int function_table_demangle(struct function_table *table);

/* Returns the table's copy of the @length bytes at @name: equal names yield
 * equal pointers. The table owns it. NULL when out of memory.
 */
const char *function_table_module(struct function_table *table,
				  const char *name, size_t length);

/* Returns the number of function @name of the kernel proper, else of its first
 * clone; FUNCTION_NONE if there is none.
 */
uint32_t function_table_kernel(const struct function_table *table,
			       const char *name);

const struct function *function_at(const struct function_table *table,
				   uint32_t number);
uint32_t function_count(const struct function_table *table);

/* Appends the content of @table to @out, for function_table_load() of the same
 * program. All functions must be the kernel's and have their final names. Sets
 * out->failed when out of memory.
 */
void function_table_save(struct function_table *table, struct byte_buffer *out);

/* Fills the new @table from the @size bytes at @bytes, which are in @file. The
 * bytes must be from function_table_save(), and aligned to 8. They are checked:
 * a damaged table yields wrong names, but no access out of bounds. @table owns
 * @file afterwards, in any case.
 *
 * Returns 0, -ERROR_FORMAT or -ERROR_MEMORY. After an error @table can only be
 * freed.
 */
int function_table_load(struct function_table *table,
			const struct file_map *file, const uint8_t *bytes,
			size_t size);

/* Returns a 64-bit hash of the names, modules, addresses and order of the
 * functions.
 */
uint64_t function_table_digest(const struct function_table *table);

#endif
