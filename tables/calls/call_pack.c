/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_pack.h"

#include "attribution/calls/system_call.h"
#include "common/bytes.h"
#include "report/steps/task_pack.h"
#include "tables/table_records.h"

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
	table_records_pack_classes(pack, call->class_ns);
	pack_u64(pack, &call->faults);
	pack_u64(pack, &call->fault_ns);
}
