/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_BLOCK_MEMO_H
#define KT_EXECUTION_BLOCK_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;
struct block_info;

/* A cache of the blocks read from program files: each process maps them at its
 * own addresses, but they do not differ otherwise. On a collision the later
 * block replaces the earlier.
 */
struct block_memo;

/* Returns NULL when out of memory. */
struct block_memo *block_memo_new(void);
void block_memo_free(struct block_memo *memo);

/* Caches the block read at @code, if there is memory for it: all fields of
 * @block that do not depend on its address or incoming edges, and of @info,
 * with the target relative to the block.
 */
void block_memo_put(struct block_memo *memo, const uint8_t *code,
		    const struct block *block, const struct block_info *info);

/* Fills in @block and @info, which are at an address that @code is mapped to,
 * with @left contiguous bytes. Returns false if the block is not cached or is
 * longer.
 */
bool block_memo_get(const struct block_memo *memo, const uint8_t *code,
		    size_t left, struct block *block, struct block_info *info);

/* Clears the cache: the code at an address may have changed. */
void block_memo_clear(struct block_memo *memo);

#endif
