/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TIME_WAIT_CHANNELS_H
#define KT_ATTRIBUTION_TIME_WAIT_CHANNELS_H

/* Wait channels and wakers of tasks, by the functions that are open then.
 *
 *	call events ─► struct task_paths: open functions of each task
 *	                      │ when a task goes to sleep, or wakes another
 *	                      ▼
 *	functions, marks ─► struct wait_channels ─► wait channel, wake source
 *
 * While a task is off its CPU, its open functions are its kernel stack, so no
 * event needs to record one.
 *
 * 1. struct wait_channels depends on the functions only, and is constant after
 *    wait_channels_new(); struct task_paths changes with each call event of one
 *    pass over the recording.
 * 2. A wait channel is not a function of the scheduler, of locks or of their
 *    helpers, unless all open functions are. These functions are known by the
 *    kernel's own marks (__sched_text_start and so on) or, in recordings
 *    without those symbols, by names.
 *
 * Errors: -ERROR_MEMORY only. A stack without the scheduler has no wait
 * channel.
 */

#include "report/steps/call_step.h"
#include "symbolize/kernel/kernel_symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context_kinds;
struct function_table;
struct recording;
struct skipped_calls;

/* One open function. */
struct path_frame {
	uint64_t begin_ns;
	uint64_t return_address; /* return address in its caller; 0: unknown */
	uint32_t function;
	uint8_t how; /* enum call_how */
};

/* The open functions of each task, outermost first, from the steps. While a
 * task is off the CPU, they are its kernel stack.
 */
struct task_paths;

/* Returns paths without any task; NULL when out of memory. */
struct task_paths *task_paths_new(void);
void task_paths_free(struct task_paths *paths);

/* Closes all functions of all tasks. */
void task_paths_reset(struct task_paths *paths);

/* Applies a step. Returns 0 or -ERROR_MEMORY. */
int task_paths_consume(struct task_paths *paths, const struct call_step *step);

/* Applies a run of skipped calls, for which task_paths_consume() is not called.
 * Returns 0 or -ERROR_MEMORY.
 */
int task_paths_skip(struct task_paths *paths,
		    const struct skipped_calls *skipped);

/* Returns task @index's open functions, valid until the next step, and sets
 * *@count to their number.
 */
const struct path_frame *task_paths_of(const struct task_paths *paths,
				       uint32_t index, size_t *count);

/* Finds the wait channel and the wake source of a task from its open functions.
 */
struct wait_channels;

/* The text of the kernel's scheduler and its locks, from the kernel's own
 * marks; empty where they are unknown.
 */
struct wait_marks {
	struct kernel_range sched;
	struct kernel_range lock;
};

/* Reads the marks from the symbols in @recording. */
struct wait_marks wait_marks_of(const struct recording *recording);

/* If @marks, which must not be NULL, are empty, functions are recognized by a
 * list of names. Borrows @kinds. Returns NULL when out of memory.
 */
struct wait_channels *wait_channels_new(const struct function_table *functions,
					const struct context_kinds *kinds,
					const struct wait_marks *marks);
void wait_channels_free(struct wait_channels *channels);

/* The wait channel of a task that goes to sleep. */
struct wait_channel {
	/* index of the frame that decided to wait, as in /proc/PID/wchan: the
	 * innermost function outside the scheduler and the locks
	 */
	size_t label;
	size_t depth; /* frames from the outermost to __schedule */
};

/* Sets *@channel to the wait channel of a task that goes to sleep with these
 * @count @frames open. Returns false if they do not contain the scheduler.
 */
bool wait_channels_find(const struct wait_channels *channels,
			const struct path_frame *frames, size_t count,
			struct wait_channel *channel);

/* Returns whether a task that leaves its CPU in @frames is dead. An exiting
 * task may sleep before. If the frames do not show the scheduler, only
 * @is_exiting is known and decides.
 */
bool wait_channels_is_end(const struct wait_channels *channels,
			  const struct path_frame *frames, size_t count,
			  bool is_exiting);

/* Returns the innermost function of @frames that called a function of the
 * scheduler or of the locks, for an event recorded in that function;
 * FUNCTION_UNKNOWN if none did. Sets *@return_address to the return address of
 * the call; 0: unknown.
 */
uint32_t wait_channels_caller(const struct wait_channels *channels,
			      const struct path_frame *frames, size_t count,
			      uint64_t *return_address);

/* The source of a wake-up. */
struct wake_source {
	/* function that decided to wake: the innermost one outside the helpers
	 * of wake-ups
	 */
	uint32_t function;
	/* handler of the interrupt or soft interrupt that contains it, or
	 * FUNCTION_NONE
	 */
	uint32_t interrupt;
};

struct wake_source wait_channels_wake(const struct wait_channels *channels,
				      const struct path_frame *frames,
				      size_t count);

#endif
