/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALLS_SYSCALLS_TABLE_INTERNAL_H
#define KT_TABLES_CALLS_SYSCALLS_TABLE_INTERNAL_H

#include <stdint.h>

struct pack;
struct system_call;
struct task;

/* Writes the fields of @call that sums of system calls need, or reads them into
 * a @call without times, whose task is then @task. @functions: number of
 * functions.
 */
void call_pack(struct pack *pack, struct system_call *call, struct task *task,
	       uint32_t functions);

#endif
