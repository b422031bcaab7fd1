/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_KERNEL_READER_H
#define KT_SYMBOLIZE_KERNEL_READER_H

#include <stdbool.h>

struct kernel_symbols;
struct log;
struct recording;

/* Reads all kernel symbols of @recording (kallsyms, modules and code announced
 * while recording) and finishes them. Logs missing parts to @log. Returns 0 or
 * a negative enum error.
 */
int kernel_symbols_add_all(const struct kernel_symbols *kernel,
			   const struct recording *recording,
			   const struct log *log);

/* Reads kernel symbols in parallel to other work. */
struct kernel_reader;

/* Starts reading, in a thread of its own if @is_apart. That thread calls only
 * those functions of @recording that are thread safe. Copies @kernel, borrows
 * the rest. Returns NULL when out of memory.
 */
struct kernel_reader *kernel_reader_begin(const struct kernel_symbols *kernel,
					  const struct recording *recording,
					  const struct log *log, bool is_apart);

/* Waits for the end, logs missing parts and frees @reader. Returns 0 or a
 * negative enum error; -ERROR_MEMORY if @reader is NULL.
 */
int kernel_reader_end(struct kernel_reader *reader);

#endif
