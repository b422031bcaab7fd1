/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TASK_PACK_H
#define KT_REPORT_TASK_PACK_H

#include <stddef.h>
#include <stdint.h>

struct pack;
struct task;

/* Writes or reads a callback's state as bytes (common/bytes.h): a task is
 * written as its index, and looked up by it when read.
 */
struct task_pack {
	struct pack *pack;
	/* Returns task @index of @tasks, or NULL if it does not exist. */
	const struct task *(*find)(const void *tasks, size_t index);
	const void *tasks;
};

/* Writes or reads *@task, which may be NULL. */
void task_pack_task(const struct task_pack *tasks, const struct task **task);

/* Writes or reads the ids and the CPU of @task, without its index. */
void task_pack_facts(struct pack *pack, struct task *task);

/* Makes the pack fail unless tasks below @count exist. */
void task_pack_check(const struct task_pack *tasks, uint32_t count);

#endif
