/* SPDX-License-Identifier: MIT */
#include "execution/follow/follow_code.h"
#include "common/error.h"
#include "decoder/code/code_space.h"
#include "execution/walk/execution.h"
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

	if (execution->is_out_of_memory)
		return -ERROR_MEMORY;
	if (execution->may_be_ahead || walk_is_code_due(execution, now_ns))
		return set_code(execution, now_ns);
	execution->next_change = moment_ticks(execution, next_ns);
	return 0;
}

/* The time of a TSC packet is a little before or after that of its PSB. */
enum { SYNC_SLACK_NS = 100 };

/* Finds the process at the sync point of execution->sync_low_ns and
 * sync_high_ns, resets the evidence, and looks up a block of user code again,
 * because its address may belong to another program now. Returns 0 or
 * -ERROR_MEMORY.
 */
static int sync_code(struct execution *execution)
{
	uint64_t low_ns = execution->sync_low_ns;
	uint64_t high_ns = execution->sync_high_ns;
	int status = code_space_sync(
		execution->code,
		low_ns < SYNC_SLACK_NS ? 0 : low_ns - SYNC_SLACK_NS,
		high_ns > UINT64_MAX - SYNC_SLACK_NS ? high_ns :
						       high_ns + SYNC_SLACK_NS);
	uint32_t block = execution->block;

	execution->evidence = (struct user_evidence){
		.is_table_lost = execution->evidence.is_table_lost,
	};
	if (block != BLOCK_NONE && execution->blocks[block].is_user)
		execution->block =
			walk_find(execution, execution->blocks[block].ip);
	return status;
}

void follow_sync_code(struct execution *execution,
		      const struct trace_branch *branch)
{
	int status = 0;

	execution->sync_low_ns = moment_low_ns(execution, branch->low);
	execution->sync_high_ns = moment_high_ns(
		execution, branch->is_bound ? branch->low : branch->high);
	if (execution->may_be_ahead)
		status = set_code(execution, execution->sync_low_ns);
	if (status < 0 || sync_code(execution) < 0)
		walk_run_out_of_memory(execution);
}

int follow_restore_code(struct execution *execution, uint64_t next_ns)
{
	int status;

	execution->may_be_ahead = true;
	status = set_code(execution, next_ns - 1);
	return status < 0 ? status : sync_code(execution);
}
