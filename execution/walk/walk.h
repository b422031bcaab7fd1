/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_WALK_H
#define KT_EXECUTION_WALK_H

#include "execution/walk/execution.h"

#include <stdbool.h>
#include <stdint.h>

/* Going along the graph: from execution->block, which has not run yet, to
 * another.  Where execution cannot be followed they return false and leave it
 * where it came to.
 */

/* No code runs so many blocks without a branch that takes trace: damaged trace
 * can lead into a loop of jumps.
 */
enum { WALK_MOST_STRAIGHT = 64 * 1024 };

/* Returns the block at @address in the code that runs now; BLOCK_NONE when out
 * of memory.
 */
uint32_t walk_find(struct execution *execution, uint64_t address);

/* The same of code of instruction set @set. */
uint32_t walk_find_set(struct execution *execution, uint64_t address,
		       uint8_t set);

/* Makes the code what it is at @time_ns: blocks of what has changed are read again,
 * and so is execution->block, which may be another program's.  Returns 0 or
 * -ERROR_MEMORY.
 */
int walk_set_code(struct execution *execution, uint64_t time_ns);

/* Finds the process whose code runs from here on, at @address in user space, which
 * control enters within the bounds of the last branch.  Returns 0 or
 * -ERROR_MEMORY.
 */
int walk_enter_user(struct execution *execution, uint64_t address);

/* Returns whether control enters user space at @address from block @from. */
static inline bool walk_enters_user(const struct execution *execution,
				    uint32_t from, uint64_t address)
{
	return address < execution->kernel_start &&
	       (from == BLOCK_NONE || !execution->blocks[from].is_user);
}

/* Execution is not followed here: switches of tasks may be missed. */
void walk_lose_switches(struct execution *execution);

/* The trace is incomplete here: the kernel may set page tables untraced. */
void walk_lose_page_table(struct execution *execution);

/* The page table becomes @root. */
void walk_set_page_table(struct execution *execution, uint64_t root);

/* Returns whether the code is another one at @time_ns, the estimated time. */
bool walk_is_code_due(const struct execution *execution, uint64_t time_ns);

/* Adds the events that control coming to execution->block means, once. */
void walk_arrive(struct execution *execution);

/* Returns the block that @edge of block @index leads to; BLOCK_NONE when out of
 * memory.
 */
uint32_t walk_behind(struct execution *execution, uint32_t index,
		     enum block_edge edge);

/* Goes along @edge of execution->block. */
bool walk_along(struct execution *execution, enum block_edge edge);

/* Goes from the return at execution->block to where its call came from. */
bool walk_back(struct execution *execution);

/* Block execution->block runs, to its end. */
void walk_run(struct execution *execution);

/* Runs on while the code alone says where to: to a block that ends otherwise,
 * which has not run.
 */
bool walk_straight(struct execution *execution);

/* Runs @count blocks, each of which leaves where to to the code alone. */
bool walk_blocks(struct execution *execution, unsigned int count);

/* Follows @count branches, the oldest on top of @bits; how many it did not come
 * to is in execution->bits_left.
 */
bool walk_bits(struct execution *execution, uint64_t bits, unsigned int count);

/* Runs the code up to an indirect branch or far transfer, which runs, too. */
bool walk_to_target(struct execution *execution);

/* Goes from there to @address; the instruction set stays. */
void walk_jump(struct execution *execution, uint64_t address);

/* The same for a stop of the trace at @address, outside the filter: direct
 * branches may lead there.
 */
bool walk_to_exit(struct execution *execution, uint64_t address);

/* Runs the code up to @address, which is not run. */
bool walk_to(struct execution *execution, uint64_t address);

/* Returns the address of the last instruction that ran, 0 if unknown. */
uint64_t walk_last_ip(const struct execution *execution);

#endif
