/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TASK_PATHS_H
#define KT_ATTRIBUTION_TASK_PATHS_H

#include "report/steps/call_step.h"

#include <stddef.h>
#include <stdint.h>

/* One open function. */
struct path_frame {
	uint64_t begin_ns;
	uint64_t return_address; /* in its caller; 0 if unknown */
	uint32_t function;
	uint8_t how; /* enum call_how */
};

/* The open functions of each task, outermost first, from the steps. While a
 * task is off the CPU, they are its kernel stack.
 */
struct task_paths;

/* Returns NULL when out of memory. */
struct task_paths *task_paths_new(void);
void task_paths_free(struct task_paths *paths);

/* Removes all tasks. */
void task_paths_renew(struct task_paths *paths);

/* Applies a step.  Returns 0 or -ERROR_MEMORY. */
int task_paths_take(struct task_paths *paths, const struct call_step *step);

/* Returns task @index's open functions, valid until the next step, and sets
 * *@count to their number.
 */
const struct path_frame *task_paths_of(const struct task_paths *paths,
				       uint32_t index, size_t *count);

#endif
