/* SPDX-License-Identifier: MIT */
#include "decoder/flow/dead_tasks.h"
#include "decoder/recording/sideband.h"

#include <string.h>

/* Adds a task; if there is no room, drops the one that exited first. */
static void add(struct dead_tasks *dead, const struct sideband_record *record)
{
	if (dead->count == DEAD_TASKS_MAX)
		memmove(dead->tasks, dead->tasks + 1,
			--dead->count * sizeof(*dead->tasks));
	dead->tasks[dead->count++] = (struct dead_task){
		.pid = record->pid,
		.tid = record->tid,
	};
}

/* Returns the only preempted task, or NULL. */
static const struct dead_task *find_waiting(const struct dead_tasks *dead)
{
	const struct dead_task *found = NULL;

	for (size_t i = 0; i < dead->count; i++) {
		if (!dead->tasks[i].waits)
			continue;
		if (found)
			return NULL;
		found = &dead->tasks[i];
	}
	return found;
}

/* Sets the IDs: of @known, or if it is NULL, of the only waiting task. */
static void name(const struct dead_tasks *dead, const struct dead_task *known,
		 int32_t *pid, int32_t *tid)
{
	const struct dead_task *task = known ? known : find_waiting(dead);

	if (*tid != -1 || !task)
		return;
	*pid = task->pid;
	*tid = task->tid;
}

static void name_both(const struct dead_tasks *dead,
		      struct sideband_record *record)
{
	struct sideband_switch *change = &record->change;
	bool out = change->out;

	name(dead, out && dead->has_current ? &dead->current : NULL,
	     &record->pid, &record->tid);
	if (change->cpu_wide)
		name(dead, !out && dead->has_left ? &dead->left : NULL,
		     &change->other_pid, &change->other_tid);
}

static void leave(struct dead_tasks *dead, int32_t tid, bool preempted)
{
	for (size_t i = 0; i < dead->count; i++)
		if (dead->tasks[i].tid == tid)
			dead->tasks[i].waits = preempted;
}

/* Updates the current task from @record, an exit or a switch. */
static void note(struct dead_tasks *dead, const struct sideband_record *record)
{
	const struct dead_task task = { .pid = record->pid,
					.tid = record->tid };
	bool leaves = record->kind == SIDEBAND_SWITCH && record->change.out;

	if (leaves)
		dead->left = task;
	else
		dead->current = task;
	dead->has_left |= leaves;
	dead->has_current = !leaves;
}

void dead_tasks_take(struct dead_tasks *dead, struct sideband_record *record)
{
	if (record->kind == SIDEBAND_EXIT)
		add(dead, record);
	else if (record->kind == SIDEBAND_SWITCH)
		name_both(dead, record);
	else
		return;
	note(dead, record);
	if (record->kind == SIDEBAND_SWITCH && record->change.out)
		leave(dead, record->tid, record->change.preempted);
}
