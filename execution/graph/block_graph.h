/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_BLOCK_GRAPH_H
#define KT_EXECUTION_BLOCK_GRAPH_H

#include "execution/graph/block.h"
#include "execution/instruction/instruction.h"

struct code_space;
struct symbols;

/* All blocks that were met, each read once: as many as the code has that ran,
 * however often it did.  What is read of code goes stale when that changes; a
 * block keeps its number.
 */
struct block_graph;

/* Borrows both; without @symbols blocks have no functions.  Returns NULL when
 * out of memory.
 */
struct block_graph *block_graph_new(struct code_space *code,
				    const struct symbols *symbols);
void block_graph_free(struct block_graph *graph);

/* Returns whether instructions that wait count as branches to what is behind
 * them: some of Arm's trace units give an atom for each (TRCIDR2.WFXMODE).
 */
void block_graph_set_waits(struct block_graph *graph, bool are_branches);

/* Returns the block at @ip in the space that runs now, reading its code if that
 * is new; BLOCK_NONE when out of memory.  Blocks may move in memory.
 */
uint32_t block_graph_find(struct block_graph *graph, uint64_t ip,
			  enum instruction_set set);

/* Reads block @index again, which is BLOCK_UNREAD. */
void block_graph_read(struct block_graph *graph, uint32_t index);

/* Finds the block that @edge of block @index leads to and sets it there.
 * Returns it, or BLOCK_NONE when out of memory.
 */
uint32_t block_graph_go(struct block_graph *graph, uint32_t index,
			enum block_edge edge);

/* Returns the way to the block at @ip, to which the indirect branch or return at
 * the end of block @index leads this time, and sets it there; the instruction set
 * stays.  It leads to BLOCK_NONE when out of memory.
 */
uint32_t block_graph_jump(struct block_graph *graph, uint32_t index,
			  uint64_t ip);

/* The code from @first to @end changed: blocks with some of it become
 * BLOCK_UNREAD.
 */
void block_graph_forget(struct block_graph *graph, uint64_t first,
			uint64_t end);

/* The first block, which the others follow by number; valid until one is
 * added.
 */
struct block *block_graph_blocks(const struct block_graph *graph);

/* Returns whether blocks @from and @to are of functions in different files. */
bool block_graph_leaves_file(const struct block_graph *graph, uint32_t from,
			     uint32_t to);

const struct block_info *block_graph_info(const struct block_graph *graph,
					  uint32_t index);

/* Returns how many instructions of block @index, up to its end or @end, begin
 * before @end, with BLOCK_WORK_SLOW as usual, and *@last, the address of the
 * last of them.  Returns 0 if none does, or none begins at @end.
 */
uint32_t block_graph_part(struct block_graph *graph, uint32_t index,
			  uint64_t end, uint64_t *last);

#endif
