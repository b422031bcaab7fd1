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

/* Makes slices of threads' states and of who runs on each CPU, of spans of
 * their time.
 */
struct state_slices {
	struct span_callback callback;
	struct slice_callback *next;
	struct thread_numbers *numbers;
	const struct task_paths *paths; /* of the tasks now */
	const struct wait_channels *places;
	const bool *is_call;  /* by function: a system call */
	struct array calls;   /* struct last_call by task index */
	struct array asleep;  /* struct view_slice by thread: a sleep whose
				 * waker the next span may know; or count 0 */
	struct array running; /* struct view_slice by CPU; or count 0 */
	int status;
};

/* The system call that a task entered last. */
struct last_call {
	uint32_t function; /* + 1; 0: none */
	uint64_t time_ns;
};

/* What it works with, from next to is_call, is borrowed, and for the caller to
 * set.
 */
void state_slices_init(struct state_slices *states);
void state_slices_free(struct state_slices *states);

/* Task @index enters a function that is_call. */
void state_slices_enter_call(struct state_slices *states, uint32_t index,
			     uint32_t function, uint64_t time_ns);

/* Hands on what waits for more.  Returns 0, or -ERROR_MEMORY if something was
 * lost.
 */
int state_slices_end(struct state_slices *states);

#endif
