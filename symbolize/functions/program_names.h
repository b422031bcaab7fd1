/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_PROGRAM_NAMES_H
#define KT_SYMBOLIZE_PROGRAM_NAMES_H

#include <stdint.h>

struct arena;
struct function;

/* Gives the functions of programs whose symbols are mangled names for people, see
 * struct function. Stores texts in @names.
 *
 * A short name that several functions of a module would have is not used: overloads
 * have their parameters, and what still is equal (a constructor's variants) has
 * its position, "Foo::Foo()@0x1230".
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int program_names_demangle(struct function *functions, uint32_t count,
			   struct arena *names);

#endif
