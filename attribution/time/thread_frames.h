/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_THREAD_FRAMES_H
#define KT_ATTRIBUTION_THREAD_FRAMES_H

#include <stdbool.h>

struct call_step;
struct thread;
struct context_kinds;

/* Keeps what a thread's open functions tell of its time beside their work:
 * whether it is in user space, and whether the bottom of its stack was seen.
 *
 * Takes a STEP_ENTER or STEP_EXIT.  Returns whether one of these changed.
 */
bool thread_frames_take(struct thread *thread,
			const struct context_kinds *kinds,
			const struct call_step *step);

/* Returns whether the innermost open function is one of user space. */
bool thread_frames_in_user(const struct thread *thread);

#endif
