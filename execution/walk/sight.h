/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_SIGHT_H
#define KT_EXECUTION_SIGHT_H

#include <stdbool.h>
#include <stdint.h>

struct execution;

/* Look-ahead from execution->block along direct edges, without running
 * anything. Each count is the number of blocks up to and including the one that
 * is described; 0 if there is none.
 */
struct sight {
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
struct sight sight_of(struct execution *execution, uint64_t address);

/* Returns whether the look-ahead ends at an indirect branch or far transfer. */
bool sight_ends_at_target(const struct execution *execution,
			  const struct sight *sight);

/* Returns whether the look-ahead ends at a block without an instruction. */
bool sight_ends_in_void(const struct execution *execution,
			const struct sight *sight);

#endif
