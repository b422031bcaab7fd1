/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_CALLED_FUNCTIONS_H
#define KT_SYMBOLIZE_CALLED_FUNCTIONS_H

struct address_map;
struct function_table;

/* Adds functions for code that neither symbols nor unwind tables describe, as of
 * programs built with -fno-asynchronous-unwind-tables: they start where direct
 * calls lead to, and at code whose address is taken, in the program's code or
 * data.
 *
 *	code		call A ...  lea B ...  jmp *table(,%reg,8)
 *	hole		|.......|A.............|B........|C........|
 *	data		         C's address       table: parts of functions
 *	functions	| hole  |+0x40         |+0x90    |+0xc0    |
 *
 * 1. A start must follow the end of other code: a return, a jump, a call that
 *    does not return, or padding. So bytes that only look like a call are
 *    rarely taken for one.
 * 2. The entries of jump tables are not starts.
 * 3. A function that nothing refers to is part of the one before it. Hence the
 *    names are marked: "busybox+0xebe40 (inferred)".
 *
 * Only x86-64. Must be called after unwind_functions_add(), with the same
 * arguments; the result has the same meaning.
 */
int called_functions_add(const char *path, const char *module,
			 struct function_table *functions,
			 struct address_map *map);

#endif
