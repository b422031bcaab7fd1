/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/coresight/coresight_memory.h"
#include "decoder/coresight/coresight_parts.h"
#include "decoder/flow/task_ids.h"

static void switch_task(struct coresight *source, uint32_t tid)
{
	int32_t pid = task_ids_process(source->tasks, (int32_t)tid);

	/* A kernel that does not write the register leaves it at 0. */
	source->named_tasks |= tid;
	if (source->task == tid || !source->named_tasks)
		return;
	source->task = tid;
	coresight_emit(source,
		       &(struct flow_item){
			       .kind = FLOW_SWITCH,
			       .detail = FLOW_SWITCH_TO,
			       .ip = (uint64_t)(uint32_t)pid << 32 | tid,
		       });
	if (pid < 0)
		return;
	if (code_space_set_process(source->code, pid, source->low_ns) < 0)
		source->error = -ERROR_MEMORY;
	source->next_change_ns = code_space_next_change_ns(source->code);
	if (coresight_memory_refresh(&source->feed.tree, source->code) < 0)
		source->error = -ERROR_MEMORY;
}

static void take_task(struct coresight *source, const ocsd_pe_context *context)
{
	switch (coresight_unit_task_field(source->feed.unit)) {
	case CORESIGHT_TASK_CONTEXT:
		if (context->ctxt_id_valid)
			switch_task(source, context->context_id);
		break;
	case CORESIGHT_TASK_VMID:
		if (context->vmid_valid)
			switch_task(source, context->vmid);
		break;
	case CORESIGHT_TASK_NONE:
		break;
	}
}

void coresight_take_context(struct coresight *source,
			    const ocsd_pe_context *context)
{
	uint8_t mode = context->bits64 ? CORESIGHT_MODE_64 : CORESIGHT_MODE_32;

	if (mode != source->mode) {
		source->mode = mode;
		coresight_emit(source, &(struct flow_item){
					       .kind = FLOW_MODE,
					       .detail = mode & 0xf,
				       });
	}
	if (source->tasks)
		take_task(source, context);
}
