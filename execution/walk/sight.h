/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_SIGHT_H
#define KT_EXECUTION_SIGHT_H

#include <stdbool.h>
#include <stdint.h>

struct execution;

/* This is what lies ahead of execution->block as far as the code alone says
 * where to.  Counts are of blocks that run up to something, with the one that
 * holds it; 0 if there is none.
 */
struct sight {
	uint32_t end;		    /* the first block that leaves it open, or
				 * holds no instruction; BLOCK_NONE: too far */
	unsigned int to_page_table; /* the first write to it */
	unsigned int to_direct;	    /* the last direct call or jump */
	unsigned int to_outside;    /* the first that leaves the filter */
	bool has_address;	    /* the address asked for is on the way */
};

/* Runs nothing. */
struct sight sight_of(struct execution *execution, uint64_t address);

/* Returns whether the way ends at a branch that takes trace and is no
 * conditional.
 */
bool sight_ends_at_target(const struct execution *execution,
			  const struct sight *sight);

/* Returns whether the way ends where no instruction is known. */
bool sight_ends_in_void(const struct execution *execution,
			const struct sight *sight);

#endif
