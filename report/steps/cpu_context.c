/* SPDX-License-Identifier: MIT */
#include "report/steps/cpu_context.h"

#include "decoder/flow/flow.h"

void cpu_context_run(struct cpu_context *context, struct mapped_thread *task)
{
	context->task = task;
	context->output.step.task = &task->task;
	context->is_unseen = context->state == CPU_GAP ||
			     context->state == CPU_OFF;
}

struct call_step cpu_context_step(const struct cpu_context *context,
				  const struct function_event *event,
				  uint8_t kind)
{
	return (struct call_step){
		.time_ns = mapped_thread_time(context->task, event->time_ns),
		.early_ns = event->early_ns,
		.late_ns = event->late_ns,
		.kind = kind,
		.cpu = (uint32_t)context->account.cpu,
		.clock_ns = context->task->clock_ns,
		.whole_ns = context->task->whole_ns,
		.task = &context->task->task,
	};
}

static void say(const struct cpu_context *context, const struct call_step *step)
{
	context->output.callback->take(context->output.callback, step);
}

static void enter_state(struct cpu_context *context,
			const struct function_event *event, uint8_t state)
{
	struct call_step step = cpu_context_step(context, event, STEP_STATE);

	if (context->state == state)
		return;
	context->state = state;
	step.detail = state;
	say(context, &step);
}

void cpu_context_lose(struct cpu_context *context,
		      const struct function_event *event)
{
	struct call_step step = cpu_context_step(context, event, STEP_GAP);

	context->state = CPU_GAP;
	step.detail = event->detail;
	step.value = event->lost_bytes;
	step.place = event->address;
	say(context, &step);
}

static uint8_t state_after_stop(uint8_t stop)
{
	switch ((enum flow_stop)stop) {
	case FLOW_STOP_LEVEL:
		return CPU_OUTSIDE;
	case FLOW_STOP_FILTER:
		return CPU_FILTERED;
	case FLOW_STOP_OFF:
		return CPU_OFF;
	case FLOW_STOP_NOT_ASKED:
	case FLOW_STOP_ASIDE:
		return CPU_NOT_ASKED;
	}
	return CPU_OFF;
}

void cpu_context_start(struct cpu_context *context,
		       const struct function_event *event)
{
	context->is_unseen = false;
	enter_state(context, event, CPU_TRACED);
}

void cpu_context_stop(struct cpu_context *context,
		      const struct function_event *event)
{
	enter_state(context, event, state_after_stop(event->detail));
}
