/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_context.h"
#include "common/error.h"
#include "decoder/coresight/coresight_code.h"
#include "decoder/coresight/coresight_items.h"
#include "decoder/flow/switch_feed.h"
#include "decoder/recording/coresight_unit.h"

/* Returns the task in the trace, or -1. */
static int64_t named_task(const struct coresight_unit *unit,
			  const ocsd_pe_context *said)
{
	switch (coresight_unit_task_field(unit)) {
	case CORESIGHT_TASK_CONTEXT:
		return said->ctxt_id_valid ? (int64_t)said->context_id : -1;
	case CORESIGHT_TASK_VMID:
		return said->vmid_valid ? (int64_t)said->vmid : -1;
	case CORESIGHT_TASK_NONE:
		break;
	}
	return -1;
}

static void switch_task(struct coresight_context *context,
			struct coresight_items *items,
			struct coresight_code *code, uint32_t tid)
{
	int32_t pid = task_ids_process(context->tasks, (int32_t)tid);

	/* A kernel that does not write the register leaves it at 0. */
	context->named_tasks |= tid;
	if (context->task == tid || !context->named_tasks)
		return;
	context->task = tid;
	coresight_items_emit(items,
			     &(struct flow_item){
				     .kind = FLOW_SWITCH,
				     .detail = FLOW_SWITCH_TO,
				     .ip = (uint64_t)(uint32_t)pid << 32 | tid,
			     });
	if (pid < 0)
		return;
	if (coresight_code_set_process(code, pid, items->clock.low_ns) < 0)
		items->error = -ERROR_MEMORY;
}

void coresight_context_take(struct coresight_context *context,
			    const struct coresight_unit *unit,
			    struct coresight_items *items,
			    struct coresight_code *code,
			    const ocsd_pe_context *said)
{
	uint8_t mode = said->bits64 ? CORESIGHT_MODE_64 : CORESIGHT_MODE_32;
	int64_t task = context->tasks ? named_task(unit, said) : -1;

	if (mode != context->mode) {
		context->mode = mode;
		coresight_items_emit(items, &(struct flow_item){
						    .kind = FLOW_MODE,
						    .detail = mode & 0xf,
					    });
	}
	if (task >= 0)
		switch_task(context, items, code, (uint32_t)task);
}
