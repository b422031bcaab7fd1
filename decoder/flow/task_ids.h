/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TASK_IDS_H
#define KT_DECODER_TASK_IDS_H

#include <stdint.h>

struct recording;

/* Which process each thread of a recording belongs to. */
struct task_ids;

/* Returns NULL when out of memory. */
struct task_ids *task_ids_new(const struct recording *recording);
void task_ids_free(struct task_ids *tasks);

/* Returns the process of thread @tid, -1 if the recording does not say. */
int32_t task_ids_process(const struct task_ids *tasks, int32_t tid);

#endif
