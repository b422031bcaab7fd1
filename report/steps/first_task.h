/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_FIRST_TASK_H
#define KT_REPORT_FIRST_TASK_H

#include <stdint.h>

struct aux_stream;
struct recording;

/* Finds the task that ran at the start of @stream: the stream's own task, or
 * the task of the first switch or start record of its CPU.
 *
 * Returns 0 and *@pid, *@tid, which are -1 if no record has them; or
 * -ERROR_MEMORY.
 */
int first_task(const struct recording *recording,
	       const struct aux_stream *stream, int32_t *pid, int32_t *tid);

#endif
