/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_PACK_H
#define KT_TABLES_CALL_PACK_H

#include <stdint.h>

struct pack;
struct system_call;
struct task;

/* Writes what a sum of system calls needs of @call, or reads it into one without
 * any time; its task is then @task.  There are @functions functions.
 */
void call_pack(struct pack *pack, struct system_call *call, struct task *task,
	       uint32_t functions);

#endif
