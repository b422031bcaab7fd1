/* SPDX-License-Identifier: MIT */
#include "attribution/time/thread_frames.h"

#include "attribution/time/threads.h"
#include "report/steps/call_step.h"
#include "symbolize/functions/context_kinds.h"

bool thread_frames_in_user(const struct thread *thread)
{
	return thread->user_frames && thread->frames == thread->user_frames;
}

/* Keeps the depth of the call stack and of its part in user space. */
static void count(struct thread *thread, const struct context_kinds *kinds,
		  const struct call_step *step)
{
	if (step->kind == STEP_EXIT) {
		thread->frames = step->depth;
		if (thread->user_frames > step->depth)
			thread->user_frames = step->depth;
		return;
	}
	if (thread->user_frames == step->depth &&
	    context_kinds_is_user(kinds, step->function))
		thread->user_frames = step->depth + 1;
	thread->frames = step->depth + 1;
}

/* What was found running on a stack whose bottom is still to be seen is in some
 * work, or in none: a kernel thread.
 */
static bool is_bottom_unseen(const struct thread *thread,
			     const struct context_kinds *kinds,
			     const struct call_step *step)
{
	enum context_kind kind = context_kind_of(kinds, step->function);
	/* A task that slept comes back in a jump to __switch_to. */
	bool is_found = step->how == HOW_INFERRED ||
			(step->how == HOW_TAIL && !thread->last_ns);

	return (is_found || thread->is_bottom_unseen) &&
	       (kind == CONTEXT_NONE || kind == CONTEXT_SCHEDULE) &&
	       !thread->user_frames && step->how != HOW_START &&
	       thread->off.how != OFF_NEW;
}

bool thread_frames_take(struct thread *thread,
			const struct context_kinds *kinds,
			const struct call_step *step)
{
	bool was_in_user = thread_frames_in_user(thread);
	bool was_unseen = thread->is_bottom_unseen;

	count(thread, kinds, step);
	if (step->kind == STEP_ENTER && !step->depth)
		thread->is_bottom_unseen =
			is_bottom_unseen(thread, kinds, step);
	return was_in_user != thread_frames_in_user(thread) ||
	       was_unseen != thread->is_bottom_unseen;
}
