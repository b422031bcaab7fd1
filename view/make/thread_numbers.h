/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_THREAD_NUMBERS_H
#define KT_VIEW_THREAD_NUMBERS_H

#include "common/array.h"
#include "common/maps.h"

#include <stdbool.h>
#include <stdint.h>

struct call_step;
struct task;
struct view_summary;

#define THREAD_NUMBER_NONE UINT32_MAX

/* Maps tasks of call events to threads of a summary. */
struct thread_numbers {
	struct view_summary *summary; /* borrowed */
	bool may_add;		      /* adds missing threads to the summary */
	struct number_map by_tid;
	struct array by_task;	    /* uint32_t: number + 1; 0: not looked up */
	struct number_map by_fiber; /* index + 1, by process and fiber */
};

/* Initialises @numbers with the threads of @summary. Returns 0 or
 * -ERROR_MEMORY; the caller must free @numbers in both cases.
 */
int thread_numbers_init(struct thread_numbers *numbers,
			struct view_summary *summary, bool may_add);
void thread_numbers_free(struct thread_numbers *numbers);

/* Returns the number of @task's thread, THREAD_NUMBER_NONE if it has none or
 * when out of memory. Locks the summary to add a thread.
 */
uint32_t thread_numbers_find(struct thread_numbers *numbers,
			     const struct task *task);

/* Returns the index of the fiber of @step in the summary; THREAD_NUMBER_NONE if
 * it runs on no fiber, if the fiber must not be added, or when out of memory.
 * Locks the summary to add a fiber.
 */
uint32_t thread_numbers_fiber(struct thread_numbers *numbers,
			      const struct call_step *step);

#endif
