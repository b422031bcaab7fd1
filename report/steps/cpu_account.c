/* SPDX-License-Identifier: MIT */
#include "report/steps/cpu_account.h"

static uint64_t clip(struct time_window window, uint64_t time_ns)
{
	if (time_ns < window.since_ns)
		return window.since_ns;
	if (time_ns > window.until_ns)
		return window.until_ns;
	return time_ns;
}

void cpu_account_pass(struct cpu_account *account, struct time_window window,
		      const struct function_event *event, uint8_t state,
		      struct kept_task *task)
{
	uint64_t now_ns = clip(window, event->time_ns);
	uint64_t passed_ns;

	/* Until the first time packet the time is not known. */
	if (!event->time_ns)
		return;
	if (!account->first_ns) {
		/* Switches are recorded before tracing begins, too. */
		if (event->kind == FUNCTION_SWITCH)
			return;
		account->first_ns = now_ns;
		account->last_ns = now_ns;
	}
	passed_ns = now_ns - account->last_ns;
	account->last_ns = now_ns;
	account->state_ns[state] += passed_ns;
	if (state != CPU_TRACED)
		return;
	task->clock_ns += passed_ns;
	if (task->task.tid == 0)
		account->idle_ns += passed_ns;
}
