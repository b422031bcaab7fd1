/* SPDX-License-Identifier: MIT */
#include "execution/follow/follow_code.h"
#include "decoder/code/code_space.h"
#include "execution/walk/moment.h"
#include "execution/walk/walk.h"

static void forget_code(void *ctx, uint64_t first, uint64_t end)
{
	struct execution *execution = ctx;

	block_graph_forget(execution->graph, first, end);
}

/* Makes the code what it is at @now_ns. */
static int set_code(struct execution *execution, uint64_t now_ns)
{
	struct code_space *code = execution->code;
	uint32_t index = execution->block;
	int status;

	if (execution->may_be_ahead)
		status = code_space_go_to(code, now_ns, forget_code, execution);
	else
		status = code_space_advance(code, now_ns, forget_code,
					    execution);
	execution->may_be_ahead = false;
	execution->next_change =
		moment_ticks(execution, code_space_next_change_ns(code));
	return_stack_forget_blocks(&execution->returns);
	/* What is about to run may be another program's. */
	if (index != BLOCK_NONE)
		execution->block =
			walk_find(execution, execution->blocks[index].ip);
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
