/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_REBASE_H
#define KT_EXECUTION_REBASE_H

#include <stdint.h>

struct execution;
struct trace_branch;

/* Returns the address of @branch.  A damaged address leaves wrong what follows and
 * shares bits with it: if that is in no memory that has code, but the kernel has some
 * at the same bits, it is there, and execution->is_rebased until an address is whole.
 */
uint64_t rebase_address(struct execution *execution,
			const struct trace_branch *branch);

#endif
