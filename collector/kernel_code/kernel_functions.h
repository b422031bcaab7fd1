/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_FUNCTIONS_H
#define KT_COLLECTOR_KERNEL_FUNCTIONS_H

#include "common/kallsyms.h"

#include <stddef.h>

struct kernel_symbols;
struct placed_name;

/* The maximum number of stored functions. */
enum { FUNCTIONS_KEPT = 4 };

/* The functions that match a name: those at different addresses that match it
 * best.
 */
struct kernel_functions {
	size_t count;
	int fit;
	/* pointers into the text of the symbols */
	struct kallsyms_line kept[FUNCTIONS_KEPT];
};

/* Returns whether @symbol is a function of the kernel or of a module. */
bool kernel_function_is(const struct kallsyms_line *symbol);

/* Finds functions by @name. A name with an offset selects the function at that
 * offset from the first function of the kernel or of its module. @fit_of
 * returns how well a function matches the first @length bytes of @name; 0: not
 * at all.
 */
struct kernel_functions
kernel_functions_find(const struct kernel_symbols *symbols,
		      const struct placed_name *name,
		      int (*fit_of)(const struct kallsyms_line *symbol,
				    const char *name, size_t length));

/* Writes unambiguous names of @functions into @list, with their modules, such
 * as "show@0x12340, show@0x80 [ext4]".
 */
void kernel_functions_list(const struct kernel_symbols *symbols,
			   const struct kernel_functions *functions, char *list,
			   size_t size);

#endif
