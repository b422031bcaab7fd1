/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_GRAPH_BLOCK_GRAPH_H
#define KT_EXECUTION_GRAPH_BLOCK_GRAPH_H

#include "execution/graph/block.h"
#include "execution/instruction/instruction.h"

#include <stdbool.h>
#include <stdint.h>

struct block_cache;
struct code_space;
struct symbols;

/* The control flow graph of the code that ran so far. Nodes are blocks
 * (block.h), each read once; edges are transfers between two blocks, each
 * classified once (edge_kind_of()). So its size and cost depend on the amount
 * of code, not on how often it ran.
 *
 *	address, space, set ── block_table ──► block ── edge ──► block
 *	                          │ new
 *	                          ▼
 *	                       block_code: bytes of code_space.h, decoded by
 *	                       instruction.h; block_memo caches program files
 *
 *	block:  BLOCK_UNREAD ── block_graph_read ──► other kinds
 *	              ▲                                  │
 *	              └────── block_graph_forget ────────┘
 *	edge:   EDGE_KIND_NEW ── block_graph_go, _jump ──► other kinds
 *
 * 1. A block keeps its number. Its address in memory may change in each
 *    function that returns a number or an edge.
 * 2. Block 0 is BLOCK_NONE. It is the target of edges that are new.
 * 3. A direct branch's edge keeps its target until its block is forgotten. The
 *    edge of an indirect branch has the last target.
 * 4. Edges to a forgotten block stay valid, so a block may be BLOCK_UNREAD on
 *    arrival.
 *
 * A graph belongs to one thread. When out of memory functions return
 * BLOCK_NONE; code that cannot be read is a block of its own, of kind
 * BLOCK_NO_CODE, BLOCK_CODE_CHANGED, BLOCK_UNKNOWN or BLOCK_GENERATED.
 */
struct block_graph;

/* Returns an empty graph, which borrows @code and @symbols; NULL when out of
 * memory. @symbols may be NULL: blocks then have no functions.
 */
struct block_graph *block_graph_new(struct code_space *code,
				    const struct symbols *symbols);

void block_graph_free(struct block_graph *graph);

/* Makes @graph copy blocks of kernel code from @cache and to it: see
 * block_cache.h. Borrows @cache, which may be NULL.
 */
void block_graph_share(struct block_graph *graph, struct block_cache *cache);

/* Sets whether waiting instructions count as branches to the next instruction:
 * some of Arm's trace units emit an atom for each (TRCIDR2.WFXMODE).
 */
void block_graph_set_waits(struct block_graph *graph, bool are_branches);

/* Makes each block end after an instruction of the kernel that reads or writes
 * the flag that lets interrupts through, or changes the CPU's variable at
 * @preempt_counter, an address relative to gs; 0: there is none.
 */
void block_graph_set_interrupts(struct block_graph *graph,
				uint64_t preempt_counter);

/* Returns the block at @ip in the current space, reading its code if it is new;
 * BLOCK_NONE when out of memory. Blocks may move in memory.
 */
uint32_t block_graph_find(struct block_graph *graph, uint64_t ip,
			  enum instruction_set set);

/* Reads block @index again, which must be BLOCK_UNREAD. */
void block_graph_read(struct block_graph *graph, uint32_t index);

/* Finds the target of @edge of block @index and stores it in the edge. Returns
 * it, or BLOCK_NONE when out of memory.
 */
uint32_t block_graph_go(struct block_graph *graph, uint32_t index,
			enum block_edge edge);

/* Finds the block at @ip, the target this time of the indirect branch or return
 * at the end of block @index, and stores it in the edge; the instruction set
 * stays the same. Returns the edge; its target is BLOCK_NONE when out of
 * memory.
 */
uint32_t block_graph_jump(struct block_graph *graph, uint32_t index,
			  uint64_t ip);

/* Marks blocks with code from @first to @end as BLOCK_UNREAD, because it
 * changed.
 */
void block_graph_forget(struct block_graph *graph, uint64_t first,
			uint64_t end);

/* Returns the first block, start of an array indexed by number; valid until a
 * block is added.
 */
struct block *block_graph_blocks(const struct block_graph *graph);

const struct block_info *block_graph_info(const struct block_graph *graph,
					  uint32_t index);

/* Returns the inlined calls of block @index; NULL if its function has none. */
const struct block_inlined *block_graph_inlined(const struct block_graph *graph,
						uint32_t index);

/* Returns whether control that goes from block @from to block @to of the same
 * function enters or leaves inlined calls. A jump back to the start of a call
 * within it is a loop of the inlined function.
 */
bool block_graph_changes_inlined(const struct block_graph *graph, uint32_t from,
				 uint32_t to);

/* Returns the number of instructions from the start of block @index up to the
 * address @end, with BLOCK_WORK_SLOW as in block.work, and sets *@last to the
 * address of the last one. Returns 0 if there are none, or if no instruction
 * starts at @end.
 */
uint32_t block_graph_part(struct block_graph *graph, uint32_t index,
			  uint64_t end, uint64_t *last);

#endif
