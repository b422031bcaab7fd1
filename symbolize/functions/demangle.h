/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_DEMANGLE_H
#define KT_SYMBOLIZE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Longest demangled name in bytes. Symbols of untrusted files can expand to
 * gigabytes (substitutions that double): such a symbol keeps its mangled name, or
 * its name without parameters.
 */
enum { DEMANGLED_MOST = 8192 };

/* Demangles @symbol: C++ (Itanium ABI), Rust (legacy and v0) or D. With
 * @with_parameters the name has its parameters and return type
 * ("int shop::cost<int>(int)"), else neither ("shop::cost<int>"). Rust's names
 * have none, and no hash.
 *
 * Returns the name, which the caller frees; NULL if @symbol is not mangled, its
 * name would be longer than DEMANGLED_MOST, or out of memory. Source: libiberty.
 */
char *demangle(const char *symbol, bool with_parameters);

/* The last component of a demangled name: "cost" of "shop::Order::cost<int>". Of D's
 * names, whose components end at dots, it is the whole.
 */
struct demangled_base {
	size_t start;
	size_t length; /* without template arguments, unless an operator's */
};

/* Returns the last component of @name, a name without parameters. */
struct demangled_base demangled_base(const char *name);

#endif
