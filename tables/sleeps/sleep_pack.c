/* SPDX-License-Identifier: MIT */
#include "tables/sleeps/sleep_pack.h"

#include "attribution/sleeps/sleeps.h"
#include "attribution/sleeps/wakers.h"
#include "common/bytes.h"
#include "report/profile/call_tree.h"
#include "report/steps/task_pack.h"

/* Checks a sleep that was read, since the file is untrusted. */
static void check(struct pack *pack, const struct sleep *sleep,
		  const struct sleep_numbers *numbers)
{
	pack_check(pack, sleep->stack == CALL_NODE_NONE ||
				 sleep->stack < numbers->stacks);
	pack_check(pack, sleep->user_stack == CALL_NODE_NONE ||
				 sleep->user_stack < numbers->stacks);
	pack_check(pack, sleep->label < numbers->functions);
	pack_check(pack, sleep->inner < numbers->functions);
	pack_check(pack, sleep->waker == WAKER_NONE ||
				 sleep->waker < numbers->wakers);
}

void sleep_pack(struct pack *pack, struct sleep *sleep, struct task *task,
		const struct sleep_numbers *numbers)
{
	if (!pack->is_reading)
		*task = *sleep->task;
	task_pack_facts(pack, task);
	sleep->task = task;
	pack_u64(pack, &sleep->begin_ns);
	pack_u64(pack, &sleep->asleep_ns);
	pack_u64(pack, &sleep->runnable_ns);
	pack_u32(pack, &sleep->stack);
	pack_u32(pack, &sleep->user_stack);
	pack_u32(pack, &sleep->label);
	pack_u32(pack, &sleep->inner);
	pack_u32(pack, &sleep->waker);
	pack_i32(pack, &sleep->fd);
	pack_bool(pack, &sleep->is_cut);
	check(pack, sleep, numbers);
}
