/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_KERNEL_CACHED_SYMBOLS_INTERNAL_H
#define KT_SYMBOLIZE_KERNEL_CACHED_SYMBOLS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct kernel_symbols;
struct log;
struct recording;

/* The kernel's finished symbols in a file beside the recording (docs/formats.md,
 * "symbols"). Parsing kallsyms takes most of the time that a command needs to
 * open a recording; reading this file takes a twentieth of that.
 *
 * 1. The file has a key, a hash of all that the symbols are made of and of this
 *    program. A file with another key counts as missing and is replaced.
 * 2. The content is untrusted: a damaged file counts as missing. One made to harm,
 *    with a right hash, is refused or yields wrong names, but no access out of
 *    bounds.
 * 3. It appears under its name only when it is complete.
 */

/* Sets *@key for the symbols of @recording. Returns false if it has no copy of
 * kallsyms in a file, or something could not be read: nothing is cached then.
 */
bool cached_symbols_key(const struct recording *recording, uint64_t *key);

/* Fills the new @kernel from the file kernel->cache. Returns 1; 0 if there is no
 * such file for @key, with @kernel unchanged; -ERROR_FORMAT, with the reason in
 * @log; or -ERROR_MEMORY.
 */
int cached_symbols_load(const struct kernel_symbols *kernel, uint64_t key,
			const struct log *log);

/* Writes the finished @kernel to the file kernel->cache, if it can be written. */
void cached_symbols_save(const struct kernel_symbols *kernel, uint64_t key);

#endif
