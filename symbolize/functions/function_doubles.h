/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_DOUBLES_H
#define KT_SYMBOLIZE_FUNCTION_DOUBLES_H

#include "common/array.h"

#include <stdint.h>

struct arena;
struct function;
struct module_list;

/* Functions that share their name with others of their module, until they are
 * given unique names.
 */
struct function_doubles {
	struct array numbers; /* uint32_t, index in the function table */
};

#define FUNCTION_DOUBLES_NONE \
	((struct function_doubles){ .numbers = ARRAY_OF(uint32_t) })

void function_doubles_free(struct function_doubles *doubles);

/* Adds @function with number @number, unless it was added before. Returns 0 or
 * -ERROR_MEMORY.
 */
int function_doubles_add(struct function_doubles *doubles,
			 struct function *function, uint32_t number);

/* Appends the position of each function added, which must be in @functions, to
 * its name. The position is the offset from the first function of the kernel or
 * the module, which is the same after each boot, or the offset in the program's
 * file. Stores the names in @names and empties @doubles.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int function_doubles_name(struct function_doubles *doubles,
			  struct function *functions,
			  struct module_list *modules, struct arena *names);

#endif
