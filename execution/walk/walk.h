/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_WALK_WALK_H
#define KT_EXECUTION_WALK_WALK_H

#include "execution/walk/execution.h"

#include <stdbool.h>
#include <stdint.h>

/* Moves execution along the block graph, and emits the events of each move.
 *
 *	                    walk_run()                    walk_along(), walk_back(),
 *	                                                  walk_jump()
 *	execution->block  ─────────────► execution->from ────────────────────────┐
 *	(not run yet)                    (ran last)                              │
 *	      ▲                                             edge_kind, exit ◄────┤
 *	      └──────────────────────────────────────────────────────────────────┘
 *
 * 1. execution->block has not run; execution->from has run. Either may be
 *    BLOCK_NONE: unknown.
 * 2. The events of arriving at a block are emitted when it runs, or earlier by
 *    walk_arrive(): edge_kind is EDGE_KIND_INSIDE when that was done. So an
 *    interrupt before the block's first instruction follows the arrival.
 * 3. Most edges are inside a function and emit nothing. The graph determines
 *    the meaning of the others once (enum edge_kind); execution_arrive()
 *    computes only that of EDGE_KIND_OTHER and of thunks, from the state of
 *    execution.
 * 4. Blocks are referred to by index: reading code moves them in memory, so
 *    pointers to them are valid until the next call that may read code.
 *
 * Functions that return bool return false if execution cannot be followed; the
 * position is then where they stopped. Threads: as in execution.h.
 */

/* Limit on the blocks that run without a branch that needs trace. Damaged trace
 * can lead into a loop of jumps.
 */
enum { WALK_MOST_STRAIGHT = 64 * 1024 };

/* Returns the block at @address in the current code, in the instruction set
 * execution->sets.current; BLOCK_NONE when out of memory.
 */
uint32_t walk_find(struct execution *execution, uint64_t address);

/* Like walk_find(), for code of instruction set @set. */
uint32_t walk_find_set(struct execution *execution, uint64_t address,
		       uint8_t set);

/* Applies code changes up to @time_ns, the estimated time; the process changes
 * according to code_space_advance(). If execution->changes.may_be_ahead, goes
 * to @time_ns, and may revert later changes. Marks blocks with changed code to
 * be read again, and looks up execution->block again, because its address may
 * belong to another program now. Returns 0 or -ERROR_MEMORY.
 */
int walk_set_code(struct execution *execution, uint64_t time_ns);

/* Makes follow_update_code() return -ERROR_MEMORY after the current branch. */
void walk_run_out_of_memory(struct execution *execution);

/* Finds the process that runs at @address, from execution->evidence and the
 * time bounds of the last branch, and resets the evidence. Must be called when
 * execution enters user space there, before its block is looked up. At a sync
 * point of known time (evidence.is_synced) the process was found already. Sets
 * execution->changes.is_out_of_memory on failure.
 */
void walk_enter_user(struct execution *execution, uint64_t address);

/* Returns whether execution enters user space if it goes from block @from,
 * which may be BLOCK_NONE, to @address.
 */
static inline bool walk_enters_user(const struct execution *execution,
				    uint32_t from, uint64_t address)
{
	return address < execution->kernel_start &&
	       (from == BLOCK_NONE || !execution->blocks[from].is_user);
}

/* Sets the number of switch points in the evidence to unknown. Must be called
 * where execution is not followed, since it may run switch points.
 */
void walk_lose_switches(struct execution *execution);

/* Sets the page table in the evidence to unknown. Must be called where trace is
 * missing, since the kernel may set page tables there.
 */
void walk_lose_page_table(struct execution *execution);

/* Sets the page table to @root, which the trace reports. */
void walk_set_page_table(struct execution *execution, uint64_t root);

/* Returns whether walk_set_code(), which must not revert changes, would change
 * the code at @time_ns, the estimated time.
 */
bool walk_is_code_due(const struct execution *execution, uint64_t time_ns);

/* Emits the events of arriving at execution->block, if they are not emitted
 * yet.
 */
void walk_arrive(struct execution *execution);

/* Goes along @edge of execution->block, which has run. Returns false when out
 * of memory.
 */
bool walk_along(struct execution *execution, enum block_edge edge);

/* Goes from the return at the end of execution->block, which has run, to the
 * return address of the innermost call. Returns false, with the block unknown,
 * if there is no such call.
 */
bool walk_back(struct execution *execution);

/* Runs execution->block to its end, without a next block. */
void walk_run(struct execution *execution);

/* Runs blocks along direct edges up to a block that ends in a branch that needs
 * trace, which does not run yet.
 */
bool walk_straight(struct execution *execution);

/* Runs @count blocks, none of which ends in a branch that needs trace. Flushes
 * the records when there is no room for more.
 */
bool walk_blocks(struct execution *execution, unsigned int count);

/* Follows @count branches, the oldest in the highest bit of @bits. If it
 * returns false, execution->bits_left is the number of bits left, including the
 * one that could not be followed.
 */
bool walk_bits(struct execution *execution, uint64_t bits, unsigned int count);

/* Runs up to and including the next indirect branch or far transfer. */
bool walk_to_target(struct execution *execution);

/* Goes from the indirect branch or far transfer that ran last to @address. The
 * instruction set does not change.
 */
void walk_jump(struct execution *execution, uint64_t address);

/* Like walk_to_target(), for a stop of the trace at @address outside the
 * filter: direct branches may lead there, too.
 */
bool walk_to_exit(struct execution *execution, uint64_t address);

/* Runs up to the instruction at @address, which does not run yet. */
bool walk_to(struct execution *execution, uint64_t address);

/* Returns the address of the last instruction that ran, 0 if unknown. */
uint64_t walk_last_ip(const struct execution *execution);

/* Look-ahead from execution->block along direct edges, without running
 * anything. Each count is the number of blocks up to and including the one that
 * is described; 0 if there is none.
 */
struct look_ahead {
	/* the first block that does not end in a direct edge, or contains no
	 * instruction; BLOCK_NONE: none within the limit
	 */
	uint32_t end;
	/* the first block that writes the page table root */
	unsigned int to_page_table;
	/* the last block that ends in a direct call or jump */
	unsigned int to_direct;
	/* the first direct call or jump out of the filter */
	unsigned int to_outside;
	/* a block on the way contains the address */
	bool has_address;
};

/* Looks ahead; @address is for has_address. Reads code that is new, so blocks
 * may move in memory.
 */
struct look_ahead look_ahead_of(struct execution *execution, uint64_t address);

/* Returns whether the look-ahead ends at an indirect branch or far transfer. */
bool look_ahead_ends_at_target(const struct execution *execution,
			       const struct look_ahead *ahead);

/* Returns whether the look-ahead ends at a block without an instruction. */
bool look_ahead_ends_in_void(const struct execution *execution,
			     const struct look_ahead *ahead);

#endif
