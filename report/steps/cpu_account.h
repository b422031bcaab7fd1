/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CPU_ACCOUNT_H
#define KT_REPORT_CPU_ACCOUNT_H

#include "report/steps/kept_tasks.h"
#include "report/steps/task_stacks.h"

/* Books the time of a CPU since its last event, as far as it is in @window: to
 * @state (enum cpu_state), in which it was, and to @task, which ran, if it was
 * traced.
 */
void cpu_account_pass(struct cpu_account *account, struct time_window window,
		      const struct function_event *event, uint8_t state,
		      struct kept_task *task);

#endif
