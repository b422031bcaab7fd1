/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_pack.h"

#include "attribution/calls/system_call.h"
#include "common/pack.h"
#include "report/steps/task_pack.h"

/* Most calls have time in two classes. */
static void pack_classes(struct pack *pack, uint64_t class_ns[TIME_CLASSES])
{
	uint32_t used = 0;

	for (int i = 0; i < TIME_CLASSES; i++)
		used |= (uint32_t)(class_ns[i] != 0) << i;
	pack_u32(pack, &used);
	for (int i = 0; i < TIME_CLASSES; i++)
		if (used >> i & 1)
			pack_u64(pack, &class_ns[i]);
}

void call_pack(struct pack *pack, struct system_call *call, struct task *task,
	       uint32_t functions)
{
	if (!pack->is_reading)
		*task = *call->task;
	task_pack_facts(pack, task);
	call->task = task;
	pack_u64(pack, &call->begin_ns);
	pack_u64(pack, &call->end_ns);
	pack_u32(pack, &call->function);
	pack_check(pack, call->function < functions);
	pack_small(pack, &call->end, CALL_ENDS - 1);
	pack_bool(pack, &call->has_exit);
	pack_i64(pack, &call->result);
	pack_classes(pack, call->class_ns);
	pack_u64(pack, &call->faults);
	pack_u64(pack, &call->fault_ns);
}
