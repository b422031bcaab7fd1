/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TASK_PACK_H
#define KT_REPORT_TASK_PACK_H

#include <stddef.h>
#include <stdint.h>

struct pack;
struct task;

/* What a callback keeps of the steps, as bytes (common/pack.h): a task is its
 * index there, and is found again by that.
 */
struct task_pack {
	struct pack *pack;
	/* Returns task @index of @tasks, or NULL if there is none. */
	const struct task *(*find)(const void *tasks, size_t index);
	const void *tasks;
};

/* Writes or reads *@task, which may be NULL. */
void task_pack_task(const struct task_pack *tasks, const struct task **task);

/* Writes or reads who @task is and where it ran, but no index. */
void task_pack_facts(struct pack *pack, struct task *task);

/* Makes the pack fail unless there are tasks up to @count. */
void task_pack_check(const struct task_pack *tasks, uint32_t count);

#endif
