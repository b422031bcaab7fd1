/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_PROGRAM_NAMES_H
#define KT_SYMBOLIZE_PROGRAM_NAMES_H

#include "symbolize/functions/function_table.h"

#include <stdint.h>

struct arena;

/* Gives the functions of programs whose symbols are mangled names for people, see
 * struct function. Stores texts in @names.
 *
 * Of a name longer than some 250 bytes the beginning and the end are displayed. A
 * short name that several functions of a module would have is not used: overloads
 * have their parameters, and what still is equal (a constructor's variants) has
 * its position, "Foo::Foo()@0x1230".
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int program_names_demangle(struct function *functions, uint32_t count,
			   struct arena *names);

/* Displays @function, if it is demangled, by one of its names. Stores texts in
 * @texts. Returns 0 or -ERROR_MEMORY.
 */
int program_name_display(struct function *function, enum function_names names,
			 struct arena *texts);

#endif
