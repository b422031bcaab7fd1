/* SPDX-License-Identifier: MIT */
#include "attribution/time/thread_events.h"

#include "attribution/time/off_cpu.h"
#include "attribution/time/threads.h"
#include "report/steps/call_step.h"
#include "symbolize/functions/context_kinds.h"

static void begin_off(struct thread *thread, uint64_t time_ns, enum off_how how)
{
	thread->phase = THREAD_OFF;
	thread->has_off = true;
	thread->off = (struct off_cpu){
		.begin_ns = time_ns,
		.how = (uint8_t)how,
		.waker_tid = -1,
		.cpu = thread->cpu,
	};
}

static void end_off(struct thread *thread, uint64_t time_ns)
{
	thread->off.end_ns =
		time_ns > thread->off.begin_ns ? time_ns : thread->off.begin_ns;
	thread->off.has_ended = true;
}

static void wake(struct off_cpu *off, uint64_t time_ns, int32_t waker_tid)
{
	if (off->wake_ns && !off->is_wake_inferred)
		return;
	off->wake_ns = time_ns;
	off->waker_tid = waker_tid;
	off->is_wake_inferred = false;
}

void thread_wakes_unseen(struct thread *thread, uint64_t time_ns,
			 int32_t waker_tid)
{
	struct off_cpu *off = &thread->off;

	if (!thread->has_off || !off->has_blocked || off->wake_ns ||
	    time_ns <= off->begin_ns)
		return;
	wake(off, time_ns, waker_tid);
	off->is_wake_inferred = true;
	thread->polls_perf = true;
}

void thread_wakes(struct thread *thread, uint64_t time_ns, int32_t waker_tid)
{
	if (thread->phase == THREAD_UNKNOWN)
		begin_off(thread, 0, OFF_UNSEEN);
	if (thread->phase == THREAD_OFF) {
		wake(&thread->off, time_ns, waker_tid);
		return;
	}
	/* By another CPU's clock, the thread already runs. */
	if (thread->has_off && time_ns <= thread->off.end_ns)
		wake(&thread->off, time_ns, waker_tid);
	thread->pending_wakeup_ns = time_ns;
	thread->pending_waker_tid = waker_tid;
}

void thread_begins(struct thread *thread, uint64_t time_ns)
{
	if (thread->phase != THREAD_UNKNOWN && !thread->is_dead)
		return;
	thread->is_dead = false;
	thread->last_ns = 0;
	begin_off(thread, time_ns, OFF_NEW);
}

static void leave_untraced(struct thread *thread, uint64_t time_ns, int32_t cpu,
			   int64_t prev_state)
{
	thread->cpu = cpu;
	begin_off(thread, time_ns, off_how_of(prev_state));
}

static bool announce_off(struct thread *thread, uint64_t time_ns, int32_t cpu,
			 int64_t prev_state)
{
	if (thread->off.how == OFF_LEFT) {
		thread->off.how = (uint8_t)off_how_of(prev_state);
		return false;
	}
	if (!thread->is_dead || off_is_dead(prev_state))
		return false;
	thread->is_dead = false;
	thread->last_ns = 0;
	leave_untraced(thread, time_ns, cpu, prev_state);
	return true;
}

bool thread_announces(struct thread *thread, uint64_t time_ns, int32_t cpu,
		      int64_t prev_state, bool is_traced)
{
	bool is_reborn = false;

	if (thread->phase == THREAD_ON)
		thread->next_how = (uint8_t)off_how_of(prev_state);
	else if (thread->phase == THREAD_OFF)
		is_reborn = announce_off(thread, time_ns, cpu, prev_state);
	else if (!is_traced)
		leave_untraced(thread, time_ns, cpu, prev_state);
	if (off_is_dead(prev_state))
		thread->is_dead = true;
	return is_reborn;
}

void thread_inherits(struct thread *thread, uint64_t time_ns)
{
	if (thread->phase == THREAD_OFF && time_ns > thread->off.begin_ns)
		thread->off.begin_ns = time_ns;
}

void thread_goes_away(struct thread *thread, uint64_t time_ns, int32_t cpu)
{
	if (thread->phase == THREAD_OFF)
		end_off(thread, time_ns);
	thread->phase = THREAD_AWAY;
	thread->cpu = cpu;
}

void thread_leaves(struct thread *thread, uint64_t time_ns,
		   uint64_t schedule_ns)
{
	begin_off(thread, time_ns, (enum off_how)thread->next_how);
	thread->off.has_blocked = thread->has_blocked;
	/* It was woken before it slept. */
	if (schedule_ns && thread->pending_wakeup_ns >= schedule_ns)
		wake(&thread->off, thread->pending_wakeup_ns,
		     thread->pending_waker_tid);
}

void thread_comes(struct thread *thread, uint64_t time_ns, int32_t cpu)
{
	if (thread->phase == THREAD_UNKNOWN)
		begin_off(thread, 0, OFF_UNSEEN);
	if (thread->phase == THREAD_OFF)
		end_off(thread, time_ns);
	thread->phase = THREAD_ON;
	thread->begin_ns = time_ns;
	thread->cpu = cpu;
	thread->next_how = OFF_LEFT;
	thread->pending_wakeup_ns = 0;
	thread->has_blocked = false;
}

bool thread_frames_in_user(const struct thread *thread)
{
	return thread->user_frames && thread->frames == thread->user_frames;
}

/* Updates the depth of the call stack and of its part in user space. */
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

/* Returns whether a thread was found running on a stack whose bottom has not
 * been seen: it is in some context, or in none as a kernel thread.
 */
static bool is_bottom_unseen(const struct thread *thread,
			     const struct context_kinds *kinds,
			     const struct call_step *step)
{
	enum context_kind kind = context_kind_of(kinds, step->function);
	/* A task that slept returns by a jump to __switch_to. */
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
