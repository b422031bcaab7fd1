/* SPDX-License-Identifier: MIT */
#include "report/steps/cpu_context.h"

#include "decoder/flow/flow.h"
#include "report/steps/cpu_account.h"

void cpu_context_run(struct cpu_context *context, struct mapped_thread *task)
{
	context->task = task;
	context->output.step.task = &task->task;
	context->is_unseen = context->state == CPU_GAP ||
			     context->state == CPU_OFF;
}

static struct call_step step_of(const struct cpu_context *context,
				struct mapped_thread *task,
				const struct function_event *event,
				uint8_t kind)
{
	return (struct call_step){
		.time_ns = mapped_thread_time(task, event->time_ns),
		.early_ns = event->early_ns,
		.late_ns = event->late_ns,
		.kind = kind,
		.cpu = (uint32_t)context->account.cpu,
		.clock_ns = task->clock_ns,
		.whole_ns = task->whole_ns,
		.task = &task->task,
	};
}

struct call_step cpu_context_step(const struct cpu_context *context,
				  const struct function_event *event,
				  uint8_t kind)
{
	return step_of(context, context->task, event, kind);
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
	if (state == CPU_GUEST)
		step.place = event->address;
	say(context, &step);
}

void cpu_context_pass(struct cpu_context *context, struct time_window window,
		      const struct function_event *event)
{
	struct cpu_account *account = &context->account;
	uint64_t gap_ns = account->state_ns[CPU_GAP];

	cpu_account_pass(account, window, event, context->state, context->task);
	if (account->state_ns[CPU_GAP] == gap_ns || context->has_gap)
		return;
	context->has_gap = true;
	account->gaps++;
}

void cpu_context_lose(struct cpu_context *context, struct time_window window,
		      const struct function_event *event)
{
	struct call_step step = cpu_context_step(context, event, STEP_GAP);

	context->has_gap = time_window_has(window, event->time_ns);
	if (context->has_gap) {
		context->account.gaps++;
		context->account.lost_bytes += event->lost_bytes;
	}
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
	case FLOW_STOP_GUEST:
		return CPU_GUEST;
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

void cpu_context_close(const struct cpu_context *context,
		       struct mapped_thread *task,
		       const struct function_event *event)
{
	struct call_stack_output output = {
		.step = step_of(context, task, event, STEP_EXIT),
		.callback = context->output.callback,
	};

	call_stack_close(&task->stack, &output);
}

void cpu_context_end(struct cpu_context *context,
		     const struct function_event *event)
{
	struct call_step step;

	context->ended = true;
	cpu_context_close(context, context->task, event);
	step = cpu_context_step(context, event, STEP_END);
	say(context, &step);
}
