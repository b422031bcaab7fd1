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
 * A function is an entry of the kernel, a module or a program. Functions of one
 * name with different addresses are different; their names then include the
 * position. So are clones (foo.part.0, foo.isra.0, foo.constprop.1). Cold parts
 * (foo.cold) share their function's number.
 *
 * The kernel's symbols and the programs' are read into a table each, so that
 * two threads can do it. The joined table is complete and constant, except for
 * function_table_display(): threads may share it.
 *
 * 1. Number 0 is FUNCTION_UNKNOWN; numbers never change, except by
 *    function_table_join(), which adds the same to each joined one.
 * 2. Equal names of modules are equal pointers: function_table_module().
 * 3. While symbols are added, a function is found by name, module, space and
 *    address; functions joined or demangled are found by number only.
 * 4. Strings belong to the table and are valid until function_table_free().
 *
 * Errors: only memory; a function that returns a number returns FUNCTION_NONE.
 */
struct function_table;

struct byte_buffer;

/* The function of addresses that no symbol covers; always present. */
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

/* A call that the compiler replaced by the function's code. Those of one
 * function are a tree by nesting.
 */
struct inlined_site {
	uint32_t function;
	uint32_t parent; /* number of the call around it; 0: none */
	uint32_t depth;	 /* 1: inlined into the function itself */
};

/* At most this many are nested. */
enum { INLINED_SITES_NESTED = 32 };

/* Adds a function for the inlined calls of @name in @module, a text from
 * function_table_module(), under a name of its own: " (inlined)" is appended by
 * function_table_name_inlined(). Returns its number, or FUNCTION_NONE.
 */
uint32_t function_table_add_inlined(struct function_table *table,
				    const char *name, const char *module);

/* Adds a call of @function, a number of function_table_add_inlined(), within
 * the call @parent. Returns its number, from 1 on; 0 when out of memory.
 */
uint32_t function_table_add_site(struct function_table *table,
				 uint32_t function, uint32_t parent);

const struct inlined_site *
function_table_site(const struct function_table *table, uint32_t site);

/* Returns the number of the last call; 0: there are none. */
uint32_t function_table_sites(const struct function_table *table);

/* Demangles the functions from number @first on, all of which are inlined, and
 * marks them. Returns 0 or -ERROR_MEMORY.
 */
int function_table_name_inlined(struct function_table *table, uint32_t first);

/* Appends the functions of @other, which must contain all functions of its
 * modules, to @table, where they can be found by number only. Frees @other.
 *
 * Returns the number to be added to their numbers, except to FUNCTION_UNKNOWN,
 * which both tables share; FUNCTION_NONE when out of memory.
 */
uint32_t function_table_join(struct function_table *table,
			     struct function_table *other);

/* Adds @address to the entries of function @number. The lowest entry becomes
 * the function's address.
 */
void function_table_locate(struct function_table *table, uint32_t number,
			   uint64_t address);

/* Returns the numbers of the functions that share their names with others of
 * their module and were not yet named by function_table_name_doubles(). Those
 * of one name share one base text (the same pointer), which no others have. The
 * table owns the result; valid until its next change.
 */
const uint32_t *function_table_doubles(const struct function_table *table,
				       size_t *count);

/* Makes these names unique by appending the offset from the first function of
 * the kernel or the module, which is the same after each boot, or the offset in
 * the program's file. Returns 0 or -ERROR_MEMORY.
 */
int function_table_name_doubles(struct function_table *table);

/* Displays the functions by @names from now on, which are BRIEF before. Changes
 * the table's digest. Returns 0 or -ERROR_MEMORY.
 */
int function_table_display(struct function_table *table,
			   enum function_names names);

/* Demangles the names of programs' functions, once, after all were added. From
 * then on functions can be found by number only. Returns 0 or -ERROR_MEMORY.
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

/* Appends the whole kernel's table, all of whose functions have their final
 * names, to @out, for function_table_load() of the same program.
 */
void function_table_save(struct function_table *table, struct byte_buffer *out);

/* Fills the new @table from the @size bytes at @bytes, which are in @block. The
 * bytes must be from function_table_save(), aligned to 8; they are
 * checked so far that no use of the table leaves them. @table owns @block
 * afterwards, in any case.
 *
 * Returns 0, -ERROR_FORMAT or -ERROR_MEMORY; @table can then only be freed.
 */
int function_table_load(struct function_table *table, void *block,
			const uint8_t *bytes, size_t size);

/* Returns a 64-bit hash of the functions, with names, modules, addresses and
 * their order.
 */
uint64_t function_table_digest(const struct function_table *table);

#endif
