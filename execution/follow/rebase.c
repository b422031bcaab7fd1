/* SPDX-License-Identifier: MIT */
#include "execution/follow/rebase.h"
#include "decoder/code/code_space.h"
#include "execution/walk/execution.h"

/* All kernel code is in the last 4 GB. */
uint64_t rebase_address(struct execution *execution,
			const struct trace_branch *branch)
{
	uint64_t guess = branch->payload | (uint64_t)UINT32_MAX << 32;
	size_t left;

	if (!branch->is_partial)
		execution->is_rebased = false;
	if (!branch->is_partial || !branch->has_address ||
	    code_space_is_mapped(execution->code, branch->payload) ||
	    !code_space_bytes(execution->code, guess, &left))
		return branch->payload;
	execution->is_rebased = true;
	return guess;
}
