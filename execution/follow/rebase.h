/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_REBASE_H
#define KT_EXECUTION_REBASE_H

#include <stdint.h>

struct execution;
struct trace_branch;

/* Returns the address of @branch, corrected if its base is wrong. A partial IP
 * in the trace has only low bits; the high bits are those of the previous IP.
 * After a damaged IP the ones completed from it are wrong, too. If the address
 * of a partial IP is not mapped, but the kernel has code at the same low 32
 * bits, returns that address and sets execution->is_rebased, until an IP is
 * complete.
 */
uint64_t rebase_address(struct execution *execution,
			const struct trace_branch *branch);

#endif
