/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_KERNEL_SYMBOLS_H
#define KT_SYMBOLIZE_KERNEL_SYMBOLS_H

#include "symbolize/arch/arch.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"

#include <stdbool.h>
#include <stddef.h>

/* Where kernel symbols go; all borrowed. */
struct kernel_symbols {
	const struct arch *arch;
	struct function_table *functions;
	struct address_map *map;
};

/* Adds the code symbols in the text of /proc/kallsyms; its other symbols end
 * the code before them.
 *
 * Of several names for one address the last in the file is taken, as perf
 * does, so that counts can be compared with perf's name by name; but one that
 * tells of a role, as thunks' do, goes first.
 * Returns 0 or -ERROR_MEMORY.
 */
int kernel_symbols_add_kallsyms(const struct kernel_symbols *kernel,
				const char *text, size_t size);

/* Adds where modules begin and end, from the text of /proc/modules. */
int kernel_symbols_add_modules(const struct kernel_symbols *kernel,
			       const char *text, size_t size);

/* Adds code announced while recording: BPF programs, trampolines. */
int kernel_symbols_add_named(const struct kernel_symbols *kernel,
			     uint64_t address, uint64_t size_bytes,
			     const char *name);

/* Ends the map, and tells functions of one name apart, after all were added.
 * Returns 0 or -ERROR_MEMORY.
 */
int kernel_symbols_finish(const struct kernel_symbols *kernel);

/* Returns whether any symbol was added. */
bool kernel_symbols_usable(const struct kernel_symbols *kernel);

#endif
