/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_KERNEL_KERNEL_SYMBOLS_H
#define KT_SYMBOLIZE_KERNEL_KERNEL_SYMBOLS_H

#include "symbolize/arch/arch.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address_map;
struct function_table;
struct log;
struct recording;

/* A file beside the recording keeps the kernel's finished symbols
 * (docs/formats.md, "symbols"). Parsing kallsyms takes most of the time that a
 * command needs to open a recording; reading this file takes a twentieth of
 * that.
 *
 * 1. The file has a key, a hash of this program and of the files that the
 *    symbols were read from. A file with another key counts as missing and is
 *    replaced.
 * 2. The content is untrusted: a damaged file counts as missing. A malicious
 *    one with a valid hash is refused or yields wrong names, but causes no
 *    access out of bounds.
 * 3. It appears under its name only when it is complete.
 */

/* The tables of symbols, and the path of the file; all borrowed. */
struct cached_symbols {
	struct function_table *functions;
	struct address_map *map;
	const char *path;
};

/* Fills the new, empty tables of @symbols from the file. Returns 1; 0 if there
 * is no undamaged file with @key, the tables are then unchanged; -ERROR_FORMAT,
 * which is logged to @log; or -ERROR_MEMORY.
 */
int cached_symbols_load(const struct cached_symbols *symbols, uint64_t key,
			const struct log *log);

/* Writes the finished tables of @symbols to the file, if it can be written. */
void cached_symbols_save(const struct cached_symbols *symbols, uint64_t key);

/* A whole file in memory. */
struct text_file {
	const char *text; /* not NUL-terminated */
	size_t size_bytes;
};

/* Reads @path. Returns 0 and sets @file, which the caller frees with
 * text_file_free(); or logs the reason to @log and returns -ERROR_SYSTEM.
 */
int text_file_read(const char *path, const struct log *log,
		   struct text_file *file);

void text_file_free(struct text_file *file);

/* An interval of the kernel's text between two linker symbols of
 * include/asm-generic/vmlinux.lds.h: [start, end).
 */
struct kernel_range {
	uint64_t start;
	uint64_t end;
};

/* Finds the range called @name ("sched", "lock") in the text of /proc/kallsyms:
 * from __sched_text_start to __sched_text_end.
 *
 * Returns false and an empty @range if a symbol is missing.
 */
bool kernel_range_find(const char *text, size_t size, const char *name,
		       struct kernel_range *range);

/* The destination of kernel symbols; all borrowed. */
struct kernel_symbols {
	const struct arch *arch;
	struct function_table *functions;
	struct address_map *map;
	/* path of the file that caches them; NULL:
	 * none
	 */
	const char *cache;
};

/* Adds the code symbols in the text of /proc/kallsyms. Functions end where the
 * next symbol starts, even if that is data.
 *
 * If an address has several names, the last one in the file is used, as in
 * perf, so that counts can be compared with perf's by name. But a name with a
 * role (enum code_role), such as a thunk's, takes precedence. Returns 0 or
 * -ERROR_MEMORY.
 */
int kernel_symbols_add_kallsyms(const struct kernel_symbols *kernel,
				const char *text, size_t size);

/* Ends symbols at the starts and ends of modules, which it reads from the text
 * of /proc/modules. Returns 0 or -ERROR_MEMORY.
 */
int kernel_symbols_add_modules(const struct kernel_symbols *kernel,
			       const char *text, size_t size);

/* Finishes the map and gives functions that share a name unique names. Must be
 * called after all symbols were added. Returns 0 or -ERROR_MEMORY.
 */
int kernel_symbols_finish(const struct kernel_symbols *kernel);

/* Reads all kernel symbols of @recording (kallsyms, modules and code announced
 * while recording) and finishes them. Takes them from the cache file instead if
 * that is valid, else writes it. The tables of @kernel must be new. Warns @log
 * of missing parts. Returns 0 or a negative enum error.
 */
int kernel_symbols_add_all(const struct kernel_symbols *kernel,
			   const struct recording *recording,
			   const struct log *log);

/* Reads kernel symbols while the caller does other work. */
struct kernel_reader;

/* Starts kernel_symbols_add_all(), in a thread of its own if @is_apart; else
 * kernel_reader_end() calls it. The thread uses only those functions of
 * @recording that are thread safe. Copies @kernel, borrows the other arguments.
 * Returns NULL when out of memory.
 */
struct kernel_reader *kernel_reader_begin(const struct kernel_symbols *kernel,
					  const struct recording *recording,
					  const struct log *log, bool is_apart);

/* Waits until all symbols are read, logs missing parts and frees @reader.
 * Returns 0 or a negative enum error; -ERROR_MEMORY if @reader is NULL.
 */
int kernel_reader_end(struct kernel_reader *reader);

#endif
