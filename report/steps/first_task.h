/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_FIRST_TASK_H
#define KT_REPORT_FIRST_TASK_H

#include <stdint.h>

struct aux_stream;
struct recording;

/* Finds the task that ran when @stream began: its own, or the one that the
 * first switch or start record of its CPU speaks of.
 *
 * Returns 0 and *@pid, *@tid, which are -1 if no record tells; or
 * -ERROR_MEMORY.
 */
int first_task(const struct recording *recording,
	       const struct aux_stream *stream, int32_t *pid, int32_t *tid);

#endif
