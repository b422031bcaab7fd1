/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_THREAD_NUMBERS_H
#define KT_VIEW_THREAD_NUMBERS_H

#include "common/array.h"
#include "common/number_map.h"

#include <stdbool.h>
#include <stdint.h>

struct task;
struct view_summary;

#define THREAD_NUMBER_NONE UINT32_MAX

/* Which thread of a summary each task of the steps is. */
struct thread_numbers {
	struct view_summary *summary; /* borrowed */
	bool may_add;		      /* threads that it has not */
	struct number_map by_tid;
	struct array by_task; /* uint32_t, + 1; 0: not looked up */
};

/* Returns 0 or -ERROR_MEMORY; free it either way. */
int thread_numbers_init(struct thread_numbers *numbers,
			struct view_summary *summary, bool may_add);
void thread_numbers_free(struct thread_numbers *numbers);

/* Returns the number of the thread that @task is, THREAD_NUMBER_NONE if it has
 * none or when out of memory.  Takes the summary's lock to add one.
 */
uint32_t thread_numbers_find(struct thread_numbers *numbers,
			     const struct task *task);

#endif
