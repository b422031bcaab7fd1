/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_SYMBOL_CACHE_H
#define KT_SYMBOLIZE_SYMBOL_CACHE_H

#include "symbolize/symbols/symbols.h"

/* Caches the last symbols found, by address, since a CPU mostly jumps to
 * addresses that it has jumped to before. Each stream has one of its own.
 */
struct symbol_cache;

/* Borrows @symbols. Returns NULL when out of memory. */
struct symbol_cache *symbol_cache_new(const struct symbols *symbols);
void symbol_cache_free(struct symbol_cache *cache);

/* Like symbols_find(), for the process set by symbol_cache_switch(). @time_ns
 * may decrease. The result is valid until the next call of either function.
 */
const struct symbol *symbol_cache_find(struct symbol_cache *cache,
				       uint64_t time_ns, uint64_t address);

/* Sets the process that runs from now on to @pid. */
void symbol_cache_switch(struct symbol_cache *cache, int32_t pid);

#endif
