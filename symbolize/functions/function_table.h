/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_TABLE_H
#define KT_SYMBOLIZE_FUNCTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions as numbers.
 *
 * A function is an entry of the kernel, a module or a program. Functions of one
 * name with different addresses are different; their names then include the
 * position. So are clones (foo.part.0, foo.isra.0, foo.constprop.1). Cold parts
 * (foo.cold) share their function's number.
 */
struct function_table;

/* The function of addresses that no symbol covers; always present. */
#define FUNCTION_UNKNOWN 0

/* Returned in place of a number when out of memory. */
#define FUNCTION_NONE UINT32_MAX

/* Further names of a function whose symbol is mangled. Each has the suffix of the
 * symbol's clone, ".isra.0", if it is one.
 */
struct demangled {
	const char *symbol; /* "_ZN4shop4costIiEEvT_" */
	const char *brief;  /* without parameters, "shop::cost<int>" */
	size_t base_length; /* of the symbol without the clone's suffix */
};

struct function {
	/* as displayed: "foo.isra.0", and, if others of its module have that
	 * name, with its position: "foo.isra.0@0x1230". Demangled without
	 * parameters, "shop::cost<int>", unless another function of the module
	 * then has the same name
	 */
	const char *name;
	/* name in the source, "foo": rules and choices by name use it. Of a
	 * demangled name the last component, "cost"
	 */
	const char *base;
	const struct demangled *demangled; /* NULL: the symbol is @name */
	const char *module;  /* "" for the kernel proper, else a module's
				 * name or a user program's path */
	uint64_t address;    /* of its entry; 0 if unknown */
	char space;	     /* 'k' kernel, 'u' user */
	bool is_double;	     /* others of its module have its name */
	bool has_parameters; /* @name shows them */
};

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

/* Which of a demangled function's names is displayed. */
enum function_names {
	FUNCTION_NAMES_BRIEF, /* without parameters where unambiguous */
	FUNCTION_NAMES_FULL,
	FUNCTION_NAMES_SYMBOLS, /* mangled */
};

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

/* Returns @function's name with its parameters, "void shop::cost<int>(int)"; the
 * displayed name if it has none. The caller frees it. Few of a program's
 * functions need this name, so it is made for each call. Returns NULL when out of
 * memory.
 */
char *function_full_name(const struct function *function);

/* Returns the name of @function's symbol, mangled if it is. */
static inline const char *function_symbol(const struct function *function)
{
	return function->demangled ? function->demangled->symbol :
				     function->name;
}

const struct function *function_at(const struct function_table *table,
				   uint32_t number);
uint32_t function_count(const struct function_table *table);

/* Returns a 64-bit hash of the functions, with names, modules, addresses and
 * their order.
 */
uint64_t function_table_digest(const struct function_table *table);

#endif
