/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_WAIT_CHANNELS_H
#define KT_ATTRIBUTION_WAIT_CHANNELS_H

#include "attribution/time/task_paths.h"
#include "symbolize/kernel/kernel_range.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_table;
struct recording;
struct context_kinds;

/* Tells, by a task's open functions, where it waits and where it wakes. */
struct wait_channels;

/* The kernel's own marks around the text of its scheduler and its locks; empty
 * where they are not known.
 */
struct wait_marks {
	struct kernel_range sched;
	struct kernel_range lock;
};

/* Reads them from the symbols in @recording. */
struct wait_marks wait_marks_of(const struct recording *recording);

/* Without @marks a list of names stands in.  Borrows @kinds; NULL when out of
 * memory.
 */
struct wait_channels *wait_channels_new(const struct function_table *functions,
					const struct context_kinds *kinds,
					const struct wait_marks *marks);
void wait_channels_free(struct wait_channels *places);

/* Where a task that goes to sleep is. */
struct wait_channel {
	size_t label; /* index of the frame that decided to wait, which
			 * /proc/PID/wchan would name: the innermost function
			 * outside the scheduler and the locks */
	size_t depth; /* frames from the outermost to __schedule */
};

/* Returns false if the scheduler was not entered in @frames. */
bool wait_channels_find(const struct wait_channels *places,
			const struct path_frame *frames, size_t count,
			struct wait_channel *place);

/* Returns whether a task that leaves its CPU in @frames is dead.  One that exits
 * may sleep before; whether it does is all that is known where the frames do not
 * show the scheduler.
 */
bool wait_channels_is_end(const struct wait_channels *places,
			  const struct path_frame *frames, size_t count,
			  bool is_exiting);

/* Returns the innermost function of @frames that called one of the scheduler or
 * of the locks, as what they do is recorded; FUNCTION_UNKNOWN if none did.
 */
uint32_t wait_channels_caller(const struct wait_channels *places,
			      const struct path_frame *frames, size_t count);

/* Who wakes. */
struct wake_source {
	uint32_t function;  /* that decided to wake: the innermost one
				 * outside the wake-up's own helpers */
	uint32_t interrupt; /* handler of the interrupt or soft interrupt
				 * that this is part of, or FUNCTION_NONE */
};

struct wake_source wait_channels_wake(const struct wait_channels *places,
				      const struct path_frame *frames,
				      size_t count);

#endif
