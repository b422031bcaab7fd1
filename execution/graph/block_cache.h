/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_GRAPH_BLOCK_CACHE_H
#define KT_EXECUTION_GRAPH_BLOCK_CACHE_H

#include "execution/graph/block.h"

#include <stdbool.h>
#include <stdint.h>

struct code_image;

/* Blocks of kernel code that is the same during the whole recording, for all
 * graphs of a pass: each stream has a graph of its own, since it may be at
 * another time, but their CPUs mostly execute the same code. A graph copies a
 * block from here, instead of looking up its symbol and decoding it, and refers
 * to its info here.
 *
 *	block_graph ── new block ──► block_cache_get() ── known ──► copy, info
 *	                                  │ unknown
 *	                                  ▼
 *	                             symbol, code ──► block_cache_put()
 *
 * 1. No cached block overlaps a change of code, or bytes that are unknown at
 *    some time: so it suits every stream at every time.
 * 2. Cached blocks end in a branch and have no edges to other blocks, whose
 *    numbers differ between graphs.
 * 3. All graphs have the same symbols and settings.
 * 4. A cached block does not change, and keeps its address until the cache is
 *    freed.
 *
 * Threads may share a cache. It only grows: by some 130 bytes for each block. A
 * block for which there is no memory is not cached.
 */
struct block_cache;

/* @image: the code; it is not used later. Returns NULL when out of memory. */
struct block_cache *block_cache_new(const struct code_image *image);

/* @cache may be NULL. */
void block_cache_free(struct block_cache *cache);

/* Caches @block, which was just read, if it may be cached. Returns its info in
 * the cache; NULL if it is not cached.
 */
const struct block_info *block_cache_put(struct block_cache *cache,
					 const struct block *block,
					 const struct block_info *info);

/* Copies the block at @ip and @set to *@block and returns its info, which the
 * cache owns. Returns NULL if the block is not cached.
 */
const struct block_info *block_cache_get(struct block_cache *cache, uint64_t ip,
					 uint8_t set, struct block *block);

#endif
