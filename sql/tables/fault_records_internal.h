/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_TABLES_FAULT_RECORDS_INTERNAL_H
#define KT_SQL_TABLES_FAULT_RECORDS_INTERNAL_H

#include "attribution/time/task_contexts.h"

#include <stdbool.h>
#include <stdint.h>

struct pack;
struct task;

/* A page fault or exception of a thread, open or ended. */
struct open_fault {
	struct open_context context;
	const struct task *task;
	uint64_t end_ns;
	uint64_t on_cpu_ns;
	int32_t cpu;
};

/* Writes @fault, or reads it; its task is then @task. @functions: number of
 * functions.
 */
void fault_pack(struct pack *pack, struct open_fault *fault, struct task *task,
		bool *is_open, uint32_t functions);

#endif
