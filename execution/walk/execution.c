/* SPDX-License-Identifier: MIT */
#include "execution/walk/execution.h"
#include "execution/walk/moment.h"

void execution_reset(struct execution *execution)
{
	execution->block = BLOCK_NONE;
	execution->set = INSTRUCTION_X86_64;
	execution->next_set = INSTRUCTION_X86_64;
	execution->listed_set = INSTRUCTION_SETS;
	execution->targets_ahead = 0;
	execution->page_table = 0;
	execution->guest_page_table = 0;
	execution->machine = 0;
	execution->guest = GUEST_NONE;
	execution->evidence = (struct user_evidence){
		.switches = -1,
		.is_table_lost = true,
	};
	execution->sync_low_ns = 0;
	execution->sync_high_ns = UINT64_MAX;
	execution->nmi_return = NO_NMI;
	moment_forget(execution, UINT64_MAX);
	execution->is_lost = true;
	execution->is_off = false;
	execution->outside = false;
	execution->is_rebased = false;
	execution->unseen_calls = 0;
	execution_forget_place(execution, EXIT_UNSEEN);
	event_times_init(&execution->times);
}

void execution_set_conversion(struct execution *execution,
			      const struct time_conversion *conversion)
{
	execution->conversion = conversion;
	execution->scale = tick_scale_of(conversion);
}

void execution_forget_place(struct execution *execution, uint8_t exit)
{
	execution->exit = exit;
	execution->passage = PASSAGE_OTHER;
	execution->from = BLOCK_NONE;
	execution->fold.active = false;
	execution->folds.count = 0;
}
