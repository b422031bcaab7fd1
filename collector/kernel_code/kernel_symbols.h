/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_SYMBOLS_H
#define KT_COLLECTOR_KERNEL_SYMBOLS_H

#include "common/bytes.h"
#include "common/kallsyms.h"

#include <stdint.h>

/* The text of a kallsyms file. It is searched without an index, since a
 * recording looks up only a few symbols, each once.
 */
struct kernel_symbols {
	struct byte_buffer text;
};

/* Reads the file at @path.
 *
 * Returns 0, -ERROR_SYSTEM with errno set, or -ERROR_MEMORY.
 */
int kernel_symbols_read(struct kernel_symbols *symbols, const char *path);
void kernel_symbols_free(struct kernel_symbols *symbols);

/* Returns a walk over all symbols. */
struct kallsyms kernel_symbols_walk(const struct kernel_symbols *symbols);

/* Returns a walk over the symbols after the kernel's own: those of modules, of
 * ftrace's and kprobes' pages and of BPF (kernel/kallsyms.c, s_show() and
 * update_iter_mod()).
 */
struct kallsyms
kernel_symbols_walk_modules(const struct kernel_symbols *symbols);

/* Returns the address of the kernel's symbol @name; 0 if it is unknown or
 * the kernel hides addresses from us (kernel.kptr_restrict).
 */
uint64_t kernel_symbols_address(const struct kernel_symbols *symbols,
				const char *name);

/* Searches the file at @path for the first of @names, terminated by NULL, that
 * the kernel has. Stops reading at names[0], because the kernel generates the
 * lines slowly.
 *
 * Returns 0 and *@address, 0 if none was found or addresses are hidden;
 * -ERROR_SYSTEM with errno set.
 */
int kernel_symbols_search(const char *path, const char *const *names,
			  uint64_t *address);

/* Returns the size in bytes of the function at @address, of the kernel or of a
 * module: it ends where the next function starts.
 */
uint64_t kernel_symbols_size(const struct kernel_symbols *symbols,
			     uint64_t address);

#endif
