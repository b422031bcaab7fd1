/* SPDX-License-Identifier: MIT */
#include "execution/follow/follow_code.h"
#include "decoder/code/code_space.h"
#include "execution/walk/moment.h"
#include "execution/walk/walk.h"

/* Applies code changes up to @now_ns, or reverts later ones: see
 * walk_set_code().
 */
static int set_code(struct execution *execution, uint64_t now_ns)
{
	int status = walk_set_code(execution, now_ns);

	execution->next_change = moment_ticks(
		execution, code_space_next_change_ns(execution->code));
	return status;
}

int follow_update_code(struct execution *execution)
{
	uint64_t next_ns = code_space_next_change_ns(execution->code);
	uint64_t now_ns = moment_guess_ns(execution);

	if (execution->may_be_ahead || now_ns >= next_ns)
		return set_code(execution, now_ns);
	execution->next_change = moment_ticks(execution, next_ns);
	return 0;
}

int follow_restore_code(struct execution *execution, uint64_t next_ns)
{
	execution->may_be_ahead = true;
	return set_code(execution, next_ns - 1);
}
