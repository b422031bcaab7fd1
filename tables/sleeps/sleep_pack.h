/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SLEEP_PACK_H
#define KT_TABLES_SLEEP_PACK_H

#include <stdint.h>

struct pack;
struct sleep;
struct task;
struct task_tracker;

/* Writes what a sum of sleeps needs of @sleep, which @tracker found, or reads it; its
 * task is then @task.  There are @functions functions.
 */
void sleep_pack(struct pack *pack, struct sleep *sleep, struct task *task,
		const struct task_tracker *tracker, uint32_t functions);

#endif
