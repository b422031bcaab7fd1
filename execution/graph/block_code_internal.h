/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_GRAPH_BLOCK_CODE_INTERNAL_H
#define KT_EXECUTION_GRAPH_BLOCK_CODE_INTERNAL_H

#include "execution/graph/block.h"
#include "execution/instruction/instruction.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_space;

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

/* A block without a branch ends with the first instruction that reaches an
 * address divisible by BLOCK_SHARED_BYTES, once it has BLOCK_LEAST_SHARED
 * bytes: blocks that begin at different addresses then share the next block. So
 * no block is longer than BLOCK_MOST_BYTES, which bounds the search when code
 * changes.
 */
enum {
	BLOCK_SHARED_BYTES = 128,
	BLOCK_LEAST_SHARED = 64,
	BLOCK_LONGEST_INSTRUCTION = 15,
	BLOCK_MOST_BYTES = BLOCK_LEAST_SHARED + BLOCK_SHARED_BYTES +
			   BLOCK_LONGEST_INSTRUCTION,
};

/* Reads blocks from the current code. */
struct block_code {
	struct code_space *space;
	struct block_memo *memo; /* cache for programs' code */
	bool waits_are_branches; /* see block_graph_set_waits() */
	bool ends_at_interrupts; /* see block_graph_set_interrupts() */
	uint64_t preempt_counter;
};

/* Borrows @space. Returns false when out of memory; must be freed either way.
 */
bool block_code_init(struct block_code *code, struct code_space *space);

void block_code_free(struct block_code *code);

/* Reads the code of @block: fills in every field except edges and those derived
 * from its address. The block ends at the instruction that reaches @end at the
 * latest. Undecodable bytes form a separate block after the decodable ones.
 */
void block_code_read(struct block_code *code, struct block *block,
		     struct block_info *info, uint64_t end);

/* Returns the number of instructions of @set that start in [@address, @end),
 * plus BLOCK_WORK_SLOW if one of them is slow, and sets *@last to the address
 * of the last of them. Returns 0 if there are none, or if no instruction starts
 * at @end.
 */
uint32_t block_code_count(struct block_code *code, uint64_t address,
			  enum instruction_set set, uint64_t end,
			  uint64_t *last);

/* Must be called when code from @first on changed: clears the cache if that
 * code is not the kernel's.
 */
void block_code_forget(struct block_code *code, uint64_t first);

#endif
