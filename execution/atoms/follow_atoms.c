/* SPDX-License-Identifier: MIT */
#include "execution/atoms/follow_atoms.h"
#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/switch_feed.h"
#include "decoder/flow/task_ids.h"
#include "decoder/recording/recording.h"
#include "execution/atoms/atom_cycles.h"
#include "execution/atoms/atom_flow.h"
#include "execution/atoms/atom_gaps.h"
#include "execution/atoms/atom_point.h"
#include "execution/atoms/atom_times.h"
#include "execution/walk/execution.h"

/* The kernel's own records are the best source of the running task. They cannot
 * be used without times, nor if they do not contain the CPU (perf's per-task
 * records).
 */
static int open_tasks(struct atom_state *atoms, const struct flow_input *input)
{
	if (atoms->clock == RECORDING_TIME_NANOSECONDS) {
		struct switch_feed *switches =
			switch_feed_new(input->recording, input->stream);
		bool has_some = switches && switch_feed_peek(switches);

		switch_feed_free(switches);
		if (!switches)
			return -ERROR_MEMORY;
		if (has_some)
			return 0;
	}
	atoms->tasks = task_ids_new(input->recording);
	return atoms->tasks ? 0 : -ERROR_MEMORY;
}

int follow_atoms_init(struct execution *execution,
		      const struct flow_input *input)
{
	struct atom_state *atoms = &execution->atoms;

	if (recording_trace(input->recording) != RECORDING_TRACE_CORESIGHT)
		return 0;
	*atoms = atom_point_first();
	atoms->is_on = true;
	atoms->clock = recording_time(input->recording);
	if (atoms->clock == RECORDING_TIME_NANOSECONDS)
		atoms->next_change_ns =
			code_space_next_change_ns(execution->code);
	if (atoms->clock == RECORDING_TIME_CYCLES) {
		atoms->cycles.is_known = true;
		atoms->cycles.total = 1;
		atoms->cycles.counted = 1;
		atoms->low_ns = 1;
		atoms->known_ns = 1;
	}
	return open_tasks(atoms, input);
}

void follow_atoms_reset(struct execution *execution)
{
	struct atom_state *atoms = &execution->atoms;
	const struct atom_state before = *atoms;

	*atoms = atom_point_first();
	atoms->is_on = before.is_on;
	atoms->clock = before.clock;
	atoms->tasks = before.tasks;
	if (atoms->clock == RECORDING_TIME_NANOSECONDS)
		atoms->next_change_ns = 0;
}

void follow_atoms_close(struct execution *execution)
{
	task_ids_free(execution->atoms.tasks);
}

static void begin_session(struct execution *execution, uint8_t flags)
{
	struct atom_state *atoms = &execution->atoms;

	atoms->has_returns = flags & TRACE_SESSION_RETURNS;
	atoms->counts_cycles = flags & TRACE_SESSION_CYCLES;
	block_graph_set_waits(execution->graph, flags & TRACE_SESSION_WAITS);
	execution->block = BLOCK_NONE;
	atoms->told = BLOCK_NONE;
	atoms->awaits_target = false;
	atoms->is_running = false;
	atoms->must_start = false;
	execution->is_off = false;
	return_stack_clear(&execution->returns);
	atom_cycles_lose(execution);
}

static void end_session(struct execution *execution, bool is_lost,
			uint64_t position)
{
	atom_gaps_close(execution, position);
	if (is_lost)
		atom_gaps_add(execution, FLOW_GAP_LOST, position);
	execution->is_off = execution->atoms.is_running;
	if (execution->atoms.is_running)
		atom_gaps_stop(execution, FLOW_STOP_OFF);
}

static void follow_count(struct execution *execution,
			 const struct trace_branch *branch)
{
	if (branch->count)
		atom_cycles_take_stamped(execution, branch->payload);
	else
		atom_cycles_take(execution, branch->payload);
}

/* The instruction set of a 32-bit address is known already. */
static void follow_mode(struct execution *execution, uint64_t mode)
{
	if (mode == execution->atoms.listed_mode)
		return;
	execution->atoms.listed_mode = mode;
	atom_flow_list(execution, FLOW_MODE, (uint8_t)mode, 0);
}

/* Adds an item to a list; otherwise the stream of events makes one itself. */
static void add_switch(struct execution *execution, int32_t pid, uint32_t tid)
{
	struct flow_item *item;

	atom_times_begin(execution, false);
	if (!execution->lists_blocks)
		execution_mark(execution, MARK_TASK);
	item = &execution_add(execution)->item;
	item->kind = FLOW_SWITCH;
	item->detail = FLOW_SWITCH_TO;
	item->ip = (uint64_t)(uint32_t)pid << 32 | tid;
}

static int follow_task(struct execution *execution, uint32_t tid)
{
	struct atom_state *atoms = &execution->atoms;
	int32_t pid;

	if (!atoms->tasks)
		return 0;
	/* A kernel that does not write the register leaves it at 0. */
	atoms->named_tasks |= tid;
	if (atoms->task == tid || !atoms->named_tasks)
		return 0;
	atoms->task = tid;
	pid = task_ids_process(atoms->tasks, (int32_t)tid);
	add_switch(execution, pid, tid);
	if (pid < 0)
		return 0;
	if (code_space_set_process(execution->code, pid, atoms->low_ns) < 0)
		return -ERROR_MEMORY;
	atoms->next_change_ns = 0;
	return atom_times_update_code(execution, atoms->low_ns);
}

/* Unreadable trace within another gap does not start a new one. */
static void follow_gap(struct execution *execution, uint8_t reason,
		       uint64_t position)
{
	if (reason == FLOW_GAP_UNSYNCED && execution->atoms.gap.is_open)
		return;
	atom_gaps_open(execution, reason, position);
	if (reason == FLOW_GAP_CUT)
		atom_gaps_close(execution, position);
}

/* The CPU was traced at least until @end_ns, if it was switched off. */
static void end_stream(struct execution *execution, uint64_t end_ns)
{
	struct event_times *times = &execution->times;

	event_times_flush(times);
	if (end_ns > times->last_ns)
		times->last_ns = end_ns;
}

/* After a sync point the state is known. */
static void close_unsynced(struct execution *execution, uint64_t position)
{
	const struct atom_gap *gap = &execution->atoms.gap;

	if (gap->is_open && gap->reason == FLOW_GAP_UNSYNCED)
		atom_gaps_close(execution, position);
}

static void follow_synced(struct execution *execution,
			  const struct trace_branch *branch, uint64_t position)
{
	close_unsynced(execution, position);
	if (branch->kind == TRACE_ATOMS)
		atom_flow_atoms(execution, branch, position);
	else if (branch->kind == TRACE_SOURCE)
		atom_flow_source(execution, branch, position);
	else if (branch->kind == TRACE_EXCEPTION)
		atom_flow_exception(execution, branch, position);
	else if (branch->kind == TRACE_EXCEPTION_RETURN)
		atom_flow_exception_return(execution);
	else if (branch->kind == TRACE_ON)
		atom_flow_on(execution, branch->count, position);
	else
		atom_flow_list(execution, FLOW_TRANSACTION,
			       (uint8_t)branch->payload, 0);
}

/* Returns whether @branch is of execution, not of time or the running task. */
static bool is_flow(const struct trace_branch *branch)
{
	uint8_t kind = branch->kind;

	return kind == TRACE_ATOMS || kind == TRACE_SOURCE ||
	       kind == TRACE_EXCEPTION || kind == TRACE_EXCEPTION_RETURN ||
	       kind == TRACE_ON || kind == TRACE_TRANSACTION;
}

/* A session's start, its end, and its loss. */
static void follow_session(struct execution *execution,
			   const struct trace_branch *branch, uint64_t position)
{
	if (branch->kind == TRACE_SESSION)
		begin_session(execution, branch->count);
	else if (branch->kind == TRACE_SESSION_END)
		end_session(execution, branch->count, position);
	else if (branch->kind == TRACE_GAP)
		follow_gap(execution, branch->count, position);
	else if (branch->kind == TRACE_END)
		end_stream(execution, branch->payload);
}

/* The unit empties its own return stack at a sync point. */
static void follow_sync(struct execution *execution)
{
	return_stack_clear(&execution->returns);
	execution->atoms.pops_target = false;
	instruction_pace_sync(&execution->times.pace);
	if (!execution->atoms.counts_cycles)
		atom_cycles_lose(execution);
}

int follow_atoms(struct execution *execution, const struct trace_branch *branch,
		 uint64_t position)
{
	if (is_flow(branch))
		follow_synced(execution, branch, position);
	else if (branch->kind == TRACE_ADDRESS)
		atom_flow_address(execution, branch);
	else if (branch->kind == TRACE_TIME)
		return atom_times_stamp(execution, branch->payload);
	else if (branch->kind == TRACE_CYCLES)
		follow_count(execution, branch);
	else if (branch->kind == TRACE_MODE)
		follow_mode(execution, branch->payload);
	else if (branch->kind == TRACE_TASK)
		return follow_task(execution, (uint32_t)branch->payload);
	else if (branch->kind == TRACE_SYNC)
		follow_sync(execution);
	else
		follow_session(execution, branch, position);
	return 0;
}
