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

/* The kernel's finished symbols in a file beside the recording
 * (docs/formats.md, "symbols"). Parsing kallsyms takes most of the time that a
 * command needs to open a recording; reading this file takes a twentieth of
 * that.
 *
 * 1. The file has a key, a hash of all that the symbols are made of and of this
 *    program. A file with another key counts as missing and is replaced.
 * 2. The content is untrusted: a damaged file counts as missing. One made to
 *    harm, with a right hash, is refused or yields wrong names, but no access
 *    out of bounds.
 * 3. It appears under its name only when it is complete.
 */

/* The symbols, and the path of their file; all borrowed. */
struct cached_symbols {
	struct function_table *functions;
	struct address_map *map;
	const char *path;
};

/* Fills the new, empty tables of @symbols from the file. Returns 1; 0 if there
 * is no such file for @key, with the tables unchanged; -ERROR_FORMAT, with the
 * reason in @log; or -ERROR_MEMORY.
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
 * text_file_free(); or -ERROR_SYSTEM, which it logs to @log.
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

/* Finishes the map and separates functions of one name. Must be called after
 * all symbols were added. Returns 0 or -ERROR_MEMORY.
 */
int kernel_symbols_finish(const struct kernel_symbols *kernel);

/* Reads all kernel symbols of @recording (kallsyms, modules and code announced
 * while recording) and finishes them; or takes them from the cache, which it
 * writes otherwise. Both must be new. Logs missing parts to @log. Returns 0 or
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
