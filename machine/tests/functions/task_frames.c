/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/functions/task_frames.h"

#include <stdlib.h>

/* The index of a failed search. */
#define NONE SIZE_MAX

/* Lengths of the longest calls in bytes: a direct call with a prefix; any call,
 * which is one through memory with prefix, displacement and index.
 */
enum { LONGEST_DIRECT_CALL = 6, LONGEST_CALL = 9 };

void frames_free(struct task_frames *task)
{
	free(task->frames);
}

static void note(const struct task_frames *task, const struct passing *at,
		 const struct kernel_name *function, bool is_exit,
		 bool is_unseen)
{
	struct passages *out = at->out;

	if (out->count == out->room) {
		out->room = out->room ? 2 * out->room : 4096;
		out->items = reallocarray(out->items, out->room,
					  sizeof(*out->items));
		if (!out->items)
			abort();
	}
	out->items[out->count++] = (struct passage){
		.is_exit = is_exit,
		.is_unseen = is_unseen,
		.cpu = at->cpu,
		.task = task->number,
		.tsc = at->tsc,
		.function = function,
	};
}

static struct frame *top_of(const struct task_frames *task)
{
	return task->count ? &task->frames[task->count - 1] : NULL;
}

static void push(struct task_frames *task, const struct passing *at,
		 struct frame frame, bool is_unseen)
{
	if (task->count == task->room) {
		task->room = task->room ? 2 * task->room : 64;
		task->frames = reallocarray(task->frames, task->room,
					    sizeof(*task->frames));
		if (!task->frames)
			abort();
	}
	task->frames[task->count++] = frame;
	note(task, at, frame.function, false, is_unseen);
}

static void pop(struct task_frames *task, const struct passing *at,
		bool is_unseen)
{
	task->count--;
	note(task, at, task->frames[task->count].function, true, is_unseen);
}

/* Only the last popped function is traced to its end. */
static void pop_through(struct task_frames *task, const struct passing *at,
			size_t index)
{
	while (task->count > index)
		pop(task, at, task->count > index + 1);
}

/* Continues in @function, whose start was not traced, unless @address is its
 * start: then this is a new task.
 */
static void infer(struct task_frames *task, const struct passing *at,
		  const struct kernel_name *function, uint64_t address)
{
	push(task, at, (struct frame){ .function = function },
	     !kernel_name_begins(function, address));
}

static size_t find_slot(const struct task_frames *task, uint64_t slot)
{
	for (size_t i = task->count; i-- > 0;)
		if (task->frames[i].slot == slot)
			return i;
	return NONE;
}

void frames_call(struct task_frames *task, const struct passing *at,
		 const struct kernel_name *to, uint64_t slot, uint64_t site,
		 bool is_direct)
{
	push(task, at,
	     (struct frame){ .function = to,
			     .slot = slot,
			     .site = site,
			     .is_direct = is_direct },
	     false);
}

/* After a pause that ended in a switch, the start of the jumping function was
 * not traced.
 */
void frames_tail(struct task_frames *task, const struct passing *at,
		 const struct kernel_name *from, const struct kernel_name *to)
{
	struct frame frame = { 0 };
	const struct frame *top = top_of(task);

	if (top && (!top->is_stale || kernel_name_equal(top->function, from))) {
		frame = *top;
		pop(task, at, false);
	}
	frame.function = to;
	frame.is_stale = false;
	push(task, at, frame, false);
}

/* error_entry() and paranoid_entry() move their return address down the stack,
 * below the registers that they save.
 */
static bool returns_behind_call(const struct frame *frame, uint64_t address)
{
	uint64_t longest;

	if (!frame || !frame->site)
		return false;
	longest = frame->is_direct ? LONGEST_DIRECT_CALL : LONGEST_CALL;
	return address > frame->site && address <= frame->site + longest;
}

/* Ends functions that were open before a pause and that the stack no longer has
 * room for.
 */
static void drop_stale(struct task_frames *task, const struct passing *at,
		       uint64_t sp)
{
	const struct frame *top;

	while ((top = top_of(task)) && top->is_stale && top->slot &&
	       top->slot <= sp)
		pop(task, at, true);
}

/* The return address of a function with an untraced start is at an unknown
 * stack position; the function returned to may be open already, from before a
 * pause.
 */
static void return_unknown(struct task_frames *task, const struct passing *at,
			   const struct kernel_name *to, uint64_t address,
			   uint64_t slot)
{
	struct frame *top = top_of(task);

	if (top && !top->origin && top->slot && !top->is_stale)
		/* This ends a call to the same function. */
		return;
	if (top && !top->origin)
		pop(task, at, false);
	drop_stale(task, at, slot);
	top = top_of(task);
	if (!top || top->origin || !kernel_name_equal(top->function, to))
		infer(task, at, to, address);
	top_of(task)->is_stale = false;
}

/* Continues in the caller of a function that has ended. The caller did not end
 * in a pause, except after a switch that another task started.
 */
static void go_on(struct task_frames *task, const struct passing *at,
		  const struct kernel_name *to, uint64_t address, uint64_t slot)
{
	const struct frame *top;

	drop_stale(task, at, slot);
	top = top_of(task);
	if (!top || (top->is_stale && !kernel_name_equal(top->function, to)))
		infer(task, at, to, address);
	top_of(task)->is_stale = false;
}

static size_t find_returning(const struct task_frames *task, uint64_t address,
			     uint64_t slot)
{
	size_t index = find_slot(task, slot);

	/* It belongs to another call, from before a pause. */
	if (index != NONE && task->frames[index].is_stale &&
	    !returns_behind_call(&task->frames[index], address))
		index = NONE;
	if (index == NONE && returns_behind_call(top_of(task), address))
		return task->count - 1;
	return index;
}

void frames_return(struct task_frames *task, const struct passing *at,
		   const struct kernel_name *to, uint64_t address,
		   uint64_t slot)
{
	size_t index = find_returning(task, address, slot);

	if (index == NONE) {
		return_unknown(task, at, to, address, slot);
		return;
	}
	pop_through(task, at, index);
	go_on(task, at, to, address, slot);
}

void frames_interrupt(struct task_frames *task, const struct passing *at,
		      const struct kernel_name *to, uint64_t origin,
		      uint64_t slot)
{
	push(task, at,
	     (struct frame){
		     .function = to,
		     .slot = slot,
		     .origin = origin,
	     },
	     false);
}

static size_t find_origin(const struct task_frames *task, uint64_t origin)
{
	for (size_t i = task->count; i-- > 0;)
		if (task->frames[i].origin == origin)
			return i;
	return NONE;
}

/* Continues in an interrupted function. If it was interrupted at its first
 * instruction, that is not an entry of it.
 */
static void infer_interrupted(struct task_frames *task,
			      const struct passing *at,
			      const struct kernel_name *function)
{
	push(task, at, (struct frame){ .function = function }, true);
}

/* On arm64, breakpoints lead from code that a probe executes for a function (a
 * copy of its first instruction, a trampoline after it) to other code; if its
 * start was not traced, it is open under its own name.
 */
static void leave_probe(struct task_frames *task, const struct passing *at,
			const struct kernel_name *to)
{
	const struct frame *top = top_of(task);

	/* A thunk is part of the function that leads into it. */
	if (!top || top->slot || top->origin || to->kind != KIND_FUNCTION ||
	    kernel_name_equal(top->function, to))
		return;
	pop(task, at, false);
	top = top_of(task);
	if (top && !kernel_name_equal(top->function, to))
		infer_interrupted(task, at, to);
}

static size_t find_interrupt(const struct task_frames *task, uint64_t slot)
{
	size_t index = find_slot(task, slot);

	return index != NONE && task->frames[index].origin ? index : NONE;
}

/* An iret need not end an interrupt: sync_core() builds its own frame for one.
 */
void frames_iret(struct task_frames *task, const struct passing *at,
		 const struct kernel_name *from, const struct kernel_name *to,
		 uint64_t address, uint64_t sp, uint64_t gap)
{
	size_t index = find_interrupt(task, sp);

	if (index == NONE)
		index = find_interrupt(task, sp + gap);
	if (index == NONE)
		index = find_origin(task, address);
	if (index == NONE && kernel_name_equal(from, to))
		return;
	if (index == NONE)
		index = 0;
	pop_through(task, at, index);
	leave_probe(task, at, to);
	if (!task->count)
		infer_interrupted(task, at, to);
	top_of(task)->is_stale = false;
}

void frames_start(struct task_frames *task, const struct passing *at,
		  const struct kernel_name *to)
{
	while (task->count)
		pop(task, at, true);
	push(task, at, (struct frame){ .function = to }, false);
}

void frames_leave(struct task_frames *task, const struct passing *at)
{
	while (task->count)
		pop(task, at, false);
}

void frames_end(struct task_frames *task, const struct passing *at)
{
	while (task->count)
		pop(task, at, true);
}

void frames_off(struct task_frames *task)
{
	for (size_t i = 0; i < task->count; i++)
		task->frames[i].is_stale = true;
}

void frames_on(struct task_frames *task, const struct passing *at,
	       const struct kernel_name *here, uint64_t sp)
{
	frames_off(task);
	while (task->count && top_of(task)->slot < sp)
		pop(task, at, true);
	if (!task->count || !kernel_name_equal(top_of(task)->function, here))
		push(task, at, (struct frame){ .function = here }, true);
}
