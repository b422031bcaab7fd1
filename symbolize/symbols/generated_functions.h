/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GENERATED_FUNCTIONS_H
#define KT_SYMBOLIZE_GENERATED_FUNCTIONS_H

#include <stdint.h>

struct address_map;
struct function_table;
struct generated_names;

/* Sets *@symbols to the functions in @names, which may be NULL, as of @time_ns, by address, which
 * are added to @functions. Code of one name is one function, wherever it is: a
 * function is compiled again and again. Other code is the function
 * GENERATED_CODE.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int generated_functions_add(const struct generated_names *names,
			    uint64_t time_ns, struct function_table *functions,
			    struct address_map **symbols);

#define GENERATED_CODE "[generated code]"

#endif
