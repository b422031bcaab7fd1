/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_KERNEL_READER_H
#define KT_SYMBOLIZE_KERNEL_READER_H

#include <stdbool.h>

struct kernel_symbols;
struct log;
struct recording;

/* Reads all that @recording says of its kernel's symbols: kallsyms, modules and
 * code that was announced, and ends them.  What is missing is said to @log.
 * Returns 0 or a negative enum error.
 */
int kernel_symbols_add_all(const struct kernel_symbols *kernel,
			   const struct recording *recording,
			   const struct log *log);

/* The same beside something else. */
struct kernel_reader;

/* Begins it, by a thread of its own if @is_apart, which may call the functions of
 * @recording that threads may.  Copies @kernel, borrows the rest.  Returns NULL
 * when out of memory.
 */
struct kernel_reader *kernel_reader_begin(const struct kernel_symbols *kernel,
					  const struct recording *recording,
					  const struct log *log, bool is_apart);

/* Ends it, frees @reader and says to the log what is missing.  Returns 0 or a
 * negative enum error, that of no memory for a reader that is NULL.
 */
int kernel_reader_end(struct kernel_reader *reader);

#endif
