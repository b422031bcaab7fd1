/* SPDX-License-Identifier: MIT */
#include "attribution/time/task_contexts.h"
#include "attribution/time/task_time_parts.h"
#include "attribution/time/threads_pack.h"
#include "attribution/time/untraced_wakeups.h"
#include "common/pack.h"
#include "report/steps/task_pack.h"
#include "symbolize/functions/function_table.h"

void task_time_pack(struct task_time *time, const struct task_pack *tasks)
{
	struct pack *pack = tasks->pack;

	pack_u64(pack, &time->out.start_ns);
	pack_u64(pack, &time->end_ns);
	pack_bool(pack, &time->is_of_threads);
	pack_u32(pack, &time->task_count);
	task_pack_check(tasks, time->task_count);
	threads_pack(time->threads, tasks);
	traced_cpus_pack(&time->cpus, pack, time->threads);
	task_contexts_pack(time->contexts, pack,
			   function_count(time->options.functions),
			   time->task_count);
	untraced_wakeups_pack(time->untraced_wakeups, tasks);
	time->current.task = NULL;
}
