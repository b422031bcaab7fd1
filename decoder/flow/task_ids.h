/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TASK_IDS_H
#define KT_DECODER_TASK_IDS_H

#include <stdint.h>

struct recording;

/* Maps the threads of a recording to their processes. */
struct task_ids;

/* Returns NULL when out of memory. */
struct task_ids *task_ids_new(const struct recording *recording);
void task_ids_free(struct task_ids *tasks);

/* Returns the process of thread @tid, -1 if it is not in the recording. */
int32_t task_ids_process(const struct task_ids *tasks, int32_t tid);

#endif
