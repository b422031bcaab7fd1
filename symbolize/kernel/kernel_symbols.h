/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_KERNEL_SYMBOLS_H
#define KT_SYMBOLIZE_KERNEL_SYMBOLS_H

#include "symbolize/arch/arch.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"

#include <stdbool.h>
#include <stddef.h>

/* The destination of kernel symbols; all borrowed. */
struct kernel_symbols {
	const struct arch *arch;
	struct function_table *functions;
	struct address_map *map;
};

/* Adds the code symbols in the text of /proc/kallsyms. Its other symbols end
 * the code before them.
 *
 * Of several names for one address the last in the file is used, as in perf, so
 * that counts can be compared with perf's by name. A name that has a role, such
 * as a thunk's, takes precedence. Returns 0 or -ERROR_MEMORY.
 */
int kernel_symbols_add_kallsyms(const struct kernel_symbols *kernel,
				const char *text, size_t size);

/* Adds the starts and ends of modules, from the text of /proc/modules. */
int kernel_symbols_add_modules(const struct kernel_symbols *kernel,
			       const char *text, size_t size);

/* Adds code announced while recording: BPF programs, trampolines. */
int kernel_symbols_add_named(const struct kernel_symbols *kernel,
			     uint64_t address, uint64_t size_bytes,
			     const char *name);

/* Finishes the map and separates functions of one name. Must be called after
 * all symbols were added. Returns 0 or -ERROR_MEMORY.
 */
int kernel_symbols_finish(const struct kernel_symbols *kernel);

/* Returns whether any symbol was added. */
bool kernel_symbols_usable(const struct kernel_symbols *kernel);

#endif
