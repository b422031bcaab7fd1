/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CPU_ACCOUNT_H
#define KT_REPORT_CPU_ACCOUNT_H

#include "report/steps/task_stacks.h"
#include "report/steps/thread_map.h"

/* Accounts the part of a CPU's time since its last event that is in @window: to
 * @state (enum cpu_state), its state since then, and, if it was traced, to
 * @task, which ran. The task's clock without a window advances outside of
 * @window, too.
 */
static inline void cpu_account_pass(struct cpu_account *account,
				    struct time_window window,
				    const struct function_event *event,
				    uint8_t state, struct mapped_thread *task)
{
	uint64_t now_ns = time_window_clip(window, event->time_ns);
	uint64_t passed_ns;
	uint64_t whole_ns;

	/* Time is unknown before the first time packet. */
	if (!event->time_ns)
		return;
	if (!account->first_ns) {
		/* Switches are also recorded before tracing starts. */
		if (event->kind == FUNCTION_SWITCH)
			return;
		account->first_ns = now_ns;
		account->last_ns = now_ns;
		account->event_ns = event->time_ns;
	}
	passed_ns = now_ns - account->last_ns;
	whole_ns = event->time_ns - account->event_ns;
	account->last_ns = now_ns;
	account->event_ns = event->time_ns;
	account->state_ns[state] += passed_ns;
	if (state != CPU_TRACED)
		return;
	task->clock_ns += passed_ns;
	task->whole_ns += whole_ns;
	if (task->task.tid == 0)
		account->idle_ns += passed_ns;
}

#endif
