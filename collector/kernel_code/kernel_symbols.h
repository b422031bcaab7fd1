/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_SYMBOLS_H
#define KT_COLLECTOR_KERNEL_SYMBOLS_H

#include "common/byte_buffer.h"
#include "common/kallsyms.h"

#include <stdint.h>

/* The text of a kallsyms file, searched as it is: a recording asks for a few
 * symbols, once.
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

/* Returns a walk over what follows the kernel's own symbols: those of modules,
 * of ftrace's and kprobes' pages and of BPF (kernel/kallsyms.c, s_show() and
 * update_iter_mod()).
 */
struct kallsyms
kernel_symbols_walk_modules(const struct kernel_symbols *symbols);

/* Returns the address of the kernel's symbol @name; 0 if it is unknown or
 * the kernel hides addresses from us (kernel.kptr_restrict).
 */
uint64_t kernel_symbols_address(const struct kernel_symbols *symbols,
				const char *name);

/* Looks in the file at @path for the first of @names, ended by NULL, that the
 * kernel has, and reads no further than to names[0]: the lines are much work
 * for the kernel.
 *
 * Returns 0 and *@address, as above; -ERROR_SYSTEM with errno set.
 */
int kernel_symbols_search(const char *path, const char *const *names,
			  uint64_t *address);

/* Returns how many bytes the function at @address has, of the kernel or of a
 * module: it ends where the next one begins.
 */
uint64_t kernel_symbols_size(const struct kernel_symbols *symbols,
			     uint64_t address);

#endif
