/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_KERNEL_CACHED_SYMBOLS_INTERNAL_H
#define KT_SYMBOLIZE_KERNEL_CACHED_SYMBOLS_INTERNAL_H

#include <stdbool.h>
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

/* Sets *@key for the symbols of @recording. Returns false if it has no copy of
 * kallsyms in a file, or something could not be read: nothing is cached then.
 */
bool cached_symbols_key(const struct recording *recording, uint64_t *key);

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

#endif
