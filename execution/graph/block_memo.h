/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_BLOCK_MEMO_H
#define KT_EXECUTION_BLOCK_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;
struct block_info;

/* Blocks of programs' files that were read: each process has them at addresses of
 * its own, and nothing else about them differs.  Of those that fall together the
 * last one is kept.
 */
struct block_memo;

/* Returns NULL when out of memory. */
struct block_memo *block_memo_new(void);
void block_memo_free(struct block_memo *memo);

/* Keeps, if there is memory for it, what was read at @code: all of @block that does
 * not hang on where it is and what leads there, and of @info, whose target lies
 * relative to it.
 */
void block_memo_put(struct block_memo *memo, const uint8_t *code,
		    const struct block *block, const struct block_info *info);

/* Sets that in @block and @info, which are at an address that @code is mapped to,
 * with @left bytes in one piece.  Returns false if nothing is known, or the block
 * is longer.
 */
bool block_memo_get(const struct block_memo *memo, const uint8_t *code,
		    size_t left, struct block *block, struct block_info *info);

/* Forgets all: what lies at an address may have changed. */
void block_memo_clear(struct block_memo *memo);

#endif
