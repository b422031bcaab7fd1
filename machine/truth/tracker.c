/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/truth/tracker.h"

#include "machine/truth/format.h"

static bool tracing(const struct tracker *tracker)
{
	return control_traces(&tracker->control);
}

static bool traced_level(const struct tracker *tracker, uint64_t address)
{
	return control_traces_level(&tracker->control, address);
}

static void write_dated(struct tracker *tracker, struct truth_record *record)
{
	/* The TSC of another host CPU may be a few ticks behind. */
	if (record->tsc < tracker->last_tsc)
		record->tsc = tracker->last_tsc;
	tracker->last_tsc = record->tsc;
	tracker->records++;
	writer_write(tracker->writer, record);
}

/* Adds a record with the time @ahead instructions after the counted ones. */
static void record(struct tracker *tracker, struct truth_record *record,
		   uint32_t ahead)
{
	record->tsc = clock_now(&tracker->clock, ahead);
	if (tracker->clock.known)
		write_dated(tracker, record);
	else
		g_array_append_vals(tracker->undated, record, 1);
}

static void date_all(struct tracker *tracker)
{
	GArray *undated = tracker->undated;

	for (guint i = 0; i < undated->len; i++) {
		struct truth_record *one =
			&g_array_index(undated, struct truth_record, i);

		one->tsc += tracker->clock.offset;
		write_dated(tracker, one);
	}
	g_array_set_size(undated, 0);
}

static void record_branch(struct tracker *tracker, uint8_t kind, uint64_t from,
			  uint64_t to, uint64_t sp)
{
	struct truth_record branch = { .from = from, .to = to, .sp = sp };

	if (!tracing(tracker))
		return;
	if (!traced_level(tracker, from) && !traced_level(tracker, to))
		return;
	branch.tag = kind | (sp ? TRUTH_HAS_SP : 0);
	record(tracker, &branch, 0);
}

/* Returns the current stack pointer; if an event was @delivered, the one before
 * the event.
 */
static uint64_t current_sp(struct tracker *tracker, bool delivered)
{
	return delivered ? arch_interrupted_sp(&tracker->guest) :
			   guest_register(&tracker->guest, GUEST_SP);
}

static uint64_t sp_before(struct tracker *tracker, const struct branch *branch,
			  bool delivered)
{
	if (branch->far_sp)
		return tracker->far_sp;
	if (branch->near_sp)
		return current_sp(tracker, delivered) + branch->sp_change;
	return 0;
}

static void record_last(struct tracker *tracker, uint64_t to, bool delivered)
{
	const struct branch *last = &tracker->block->last;
	uint64_t from = tracker->start + block_last_offset(tracker->block);

	if (last->kind && tracing(tracker))
		record_branch(tracker, last->kind, from, to,
			      sp_before(tracker, last, delivered));
}

/* After a sleep the time is unknown until the next reading of the clock. */
static void fall_asleep(struct tracker *tracker)
{
	if (tracker->clock.host)
		return;
	tracker->inexact += tracker->undated->len;
	date_all(tracker);
	tracker->clock.known = false;
}

/* Handles a block that ran completely; control is at @to. */
static void block_ran(struct tracker *tracker, uint64_t to, bool delivered)
{
	const struct block *block = tracker->block;

	tracker->clock.executed += block->count;
	record_last(tracker, to, delivered);
	if (block->last.halts)
		fall_asleep(tracker);
}

/* Handles a block that control left before its last instruction without an
 * event; control is at @to. On device accesses, and on stores into the block's
 * own page, QEMU executes that one instruction alone and continues in a new
 * block.
 */
static void block_cut(struct tracker *tracker, uint64_t to)
{
	uint32_t index = block_find(tracker->block, to - tracker->start);

	if (index == tracker->block->count)
		tracker->lost_track++;
	else
		tracker->clock.executed += index;
}

/* Synchronizes the clock with the guest's last reading of it, whose result is
 * still in its register.
 */
static void look_at_clock(struct tracker *tracker)
{
	if (!tracker->clock_insn)
		return;
	clock_sync(&tracker->clock,
		   arch_clock_value(&tracker->guest, tracker->clock_insn),
		   tracker->clock_executed);
	tracker->clock_insn = 0;
	date_all(tracker);
}

static void leave_block(struct tracker *tracker, struct tracker_flags *flags,
			uint64_t to, bool delivered)
{
	if (tracker->block && flags->reached)
		block_ran(tracker, to, delivered);
	else if (tracker->block)
		block_cut(tracker, to);
	tracker->block = NULL;
	flags->reached = 0;
	look_at_clock(tracker);
}

static void start_trace(struct tracker *tracker, uint64_t at, bool delivered)
{
	struct truth_record on = { .tag = TRUTH_TRACE_ON | TRUTH_HAS_SP,
				   .from = at,
				   .to = at };

	if (!tracker->starting)
		return;
	tracker->starting = false;
	on.sp = current_sp(tracker, delivered);
	record(tracker, &on, 0);
}

/* Returns whether @address is the block's current instruction. */
static bool at_block(const struct tracker *tracker,
		     const struct tracker_flags *flags, uint64_t address)
{
	uint64_t offset = address - tracker->start;

	if (!tracker->block)
		return false;
	if (flags->reached)
		return offset == block_last_offset(tracker->block);
	return block_find(tracker->block, offset) < tracker->block->count;
}

/* Handles an exception raised by the block's instruction at @address. */
static void block_faulted(struct tracker *tracker, struct tracker_flags *flags,
			  uint64_t address)
{
	const struct block *block = tracker->block;

	tracker->clock.executed +=
		flags->reached ? block->count - !block->last.traps :
				 block_find(block, address - tracker->start);
	tracker->block = NULL;
	tracker->clock_insn = 0;
	flags->reached = 0;
}

void tracker_raised(struct tracker *tracker)
{
	tracker->raised = true;
}

/* Returns whether the exception that returns to @from is the branch at the end
 * of the block.
 */
static bool is_call(const struct tracker *tracker,
		    const struct tracker_flags *flags, uint64_t from)
{
	return tracker->block && flags->reached && tracker->block->last.calls &&
	       from == tracker->start + tracker->block->size;
}

static void look_at_host(struct tracker *tracker)
{
	uint64_t tsc = clock_look(&tracker->clock);

	if (tsc)
		host_moment_leave(tracker->moment, tsc);
}

void tracker_delivered(struct tracker *tracker, struct tracker_flags *flags,
		       uint64_t from, uint64_t to)
{
	bool raised = tracker->raised;

	look_at_host(tracker);
	tracker->raised = false;
	if (raised && is_call(tracker, flags, from)) {
		leave_block(tracker, flags, to, true);
		return;
	}
	if (raised && at_block(tracker, flags, from))
		block_faulted(tracker, flags, from);
	else
		leave_block(tracker, flags, from, true);
	start_trace(tracker, from, true);
	record_branch(tracker, raised ? TRUTH_EXCEPTION : TRUTH_INTERRUPT, from,
		      to, arch_interrupted_sp(&tracker->guest));
}

static void record_switch(struct tracker *tracker,
			  const struct switch_site *site)
{
	uint64_t next = guest_register(&tracker->guest, GUEST_NEXT_TASK);
	struct truth_record task = { .tag = TRUTH_SWITCH | TRUTH_HAS_SP };
	uint64_t pid, tgid;

	if (!guest_memory(&tracker->guest, next + site->pid_offset, 4, &pid) ||
	    !guest_memory(&tracker->guest, next + site->tgid_offset, 4, &tgid))
		return;
	task.pid = pid;
	task.tgid = tgid;
	task.sp = guest_register(&tracker->guest, GUEST_SP);
	record(tracker, &task, 0);
}

static void record_interrupts(struct tracker *tracker)
{
	struct truth_record flag = { .tag = TRUTH_INTERRUPTS };

	flag.pid = arch_lets_interrupts(&tracker->guest);
	if (flag.pid == tracker->lets_interrupts)
		return;
	tracker->lets_interrupts = flag.pid;
	record(tracker, &flag, 0);
}

void tracker_block(struct tracker *tracker, struct tracker_flags *flags,
		   const struct block *block, uint64_t start,
		   const struct switch_site *site)
{
	look_at_host(tracker);
	leave_block(tracker, flags, start, false);
	start_trace(tracker, start, false);
	if (tracing(tracker) && start == site->function)
		record_switch(tracker, site);
	if (tracing(tracker))
		record_interrupts(tracker);
	flags->active = tracing(tracker) || tracker->undated->len;
	if (!flags->active)
		return;
	tracker->block = block;
	tracker->start = start;
}

static void stop_trace(struct tracker *tracker, uint32_t index)
{
	struct truth_record off = { .tag = TRUTH_TRACE_OFF };

	off.from = tracker->start;
	if (tracker->block)
		off.from += tracker->block->offsets[index];
	off.to = off.from;
	record(tracker, &off, index + 1);
}

void tracker_control(struct tracker *tracker, struct tracker_flags *flags,
		     uint32_t index, const struct control *control)
{
	bool was_tracing = tracing(tracker);

	clock_look(&tracker->clock);
	if (was_tracing && !control_traces(control))
		stop_trace(tracker, index);
	tracker->control = *control;
	if (was_tracing || !tracing(tracker))
		return;
	/* Instructions were not counted until now. */
	if (!flags->active && !tracker->clock.host)
		tracker->clock.known = false;
	tracker->starting = true;
	flags->active = 1;
}

void tracker_before_clock(struct tracker *tracker, uint32_t index,
			  uint32_t insn)
{
	clock_before(&tracker->clock);
	tracker->clock_insn = insn;
	tracker->clock_executed = tracker->clock.executed + index + 1;
}

void tracker_after_clock(struct tracker *tracker)
{
	look_at_clock(tracker);
}

void tracker_finish(struct tracker *tracker)
{
	tracker->inexact += tracker->undated->len;
	date_all(tracker);
}
