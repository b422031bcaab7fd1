/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_STATE_SLICES_H
#define KT_VIEW_STATE_SLICES_H

#include "attribution/time/time_span.h"
#include "common/array.h"
#include "view/data/slice.h"

#include <stdbool.h>

struct task_paths;
struct thread_numbers;
struct wait_channels;

/* Makes slices of threads' states, and of the running threads of CPUs, from
 * spans of threads' time.
 */
struct state_slices {
	struct span_callback callback;
	struct slice_callback *next;
	struct thread_numbers *numbers;
	const struct task_paths *paths; /* current paths of the tasks */
	const struct wait_channels *places;
	const bool *is_call; /* by function: is a system call */
	struct array calls;  /* struct last_call by task index */
	/* struct view_slice by thread: a sleep whose waker may be known with
	 * the next span; or count 0
	 */
	struct array asleep;
	struct array running; /* struct view_slice by CPU; or count 0 */
	int status;
};

/* The last system call that a task entered. */
struct last_call {
	uint32_t function; /* + 1; 0: none */
	uint64_t time_ns;
};

/* The caller must set the members from next to is_call, which are borrowed. */
void state_slices_init(struct state_slices *states);
void state_slices_free(struct state_slices *states);

/* Must be called when task @index enters a function that is_call. */
void state_slices_enter_call(struct state_slices *states, uint32_t index,
			     uint32_t function, uint64_t time_ns);

/* Emits the unfinished slices. Returns 0, or -ERROR_MEMORY if slices were lost.
 */
int state_slices_end(struct state_slices *states);

#endif
