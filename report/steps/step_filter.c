/* SPDX-License-Identifier: MIT */
#include "report/steps/step_filter.h"

#include "report/steps/recorder_task.h"
#include "report/text/task_names.h"

static bool is_listed(const int32_t *list, size_t count, int32_t value)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == value)
			return true;
	return false;
}

/* Returns whether the process or one of its ancestors is listed. */
static bool is_in_tree(const struct step_filter *filter, int32_t pid)
{
	/* Reused process ids might form a loop; real trees are not deep. */
	for (int depth = 0; pid > 0 && depth < 1000; depth++) {
		if (is_listed(filter->trees, filter->tree_count, pid))
			return true;
		pid = task_names_parent(filter->names, pid);
	}
	return false;
}

static bool has_comm(const struct step_filter *filter, int32_t tid)
{
	return filter->comms &&
	       task_names_ever(filter->names, tid, filter->comms);
}

bool step_filter_has_tasks(const struct step_filter *filter)
{
	return filter && (filter->pid_count || filter->tid_count ||
			  filter->tree_count || filter->comms);
}

bool step_filter_task(const struct step_filter *filter, const struct task *task)
{
	if (!step_filter_has_tasks(filter))
		return !filter || !filter->left_out_recorder ||
		       !recorder_task_is(filter->names,
					 filter->left_out_recorder, task->tid);
	return is_listed(filter->pids, filter->pid_count, task->pid) ||
	       is_listed(filter->pids, filter->pid_count, task->tid) ||
	       is_listed(filter->tids, filter->tid_count, task->tid) ||
	       is_in_tree(filter, task->pid) || has_comm(filter, task->tid);
}

bool step_filter_cpu(const struct step_filter *filter, uint32_t cpu)
{
	if (!filter || !filter->cpu_count)
		return true;
	for (size_t i = 0; i < filter->cpu_count; i++)
		if (filter->cpus[i] == cpu)
			return true;
	return false;
}
