/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_DOUBLES_H
#define KT_SYMBOLIZE_FUNCTION_DOUBLES_H

#include "common/array.h"

#include <stdint.h>

struct arena;
struct function;
struct module_list;

/* Functions that share their names with others of their module, until they are given
 * names that say which is which.
 */
struct function_doubles {
	struct array numbers; /* uint32_t, in the table of functions */
};

#define FUNCTION_DOUBLES_NONE \
	((struct function_doubles){ .numbers = ARRAY_OF(uint32_t) })

void function_doubles_free(struct function_doubles *doubles);

/* Adds @function, which has @number, unless it was added before.  Returns 0 or
 * -ERROR_MEMORY.
 */
int function_doubles_add(struct function_doubles *doubles,
			 struct function *function, uint32_t number);

/* Puts their place behind the names of all that were added, which are of @functions:
 * behind the first function of the kernel or the module, which is the same after each
 * boot, or in the program's file.  The names are in @names; none is a double to be
 * named any more.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int function_doubles_name(struct function_doubles *doubles,
			  struct function *functions,
			  struct module_list *modules, struct arena *names);

#endif
