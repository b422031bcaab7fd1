/* SPDX-License-Identifier: MIT */
#include "execution/follow_atoms.h"
#include "common/error.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/switch_feed.h"
#include "decoder/flow/task_ids.h"
#include "decoder/recording/recording.h"
#include "execution/atom_gaps.h"
#include "execution/atom_times.h"
#include "execution/code_space.h"
#include "execution/moment.h"
#include "execution/walk.h"
#include "execution/walk_atoms.h"

/* The kernel's own records say best who runs.  Without times they cannot be
 * placed, nor if they do not say on which CPU: perf's of tasks.
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
	*atoms = (struct atom_state){
		.is_on = true,
		.told = BLOCK_NONE,
		.clock = recording_time(input->recording),
		.instructions = 1,
		.task = -1,
		.next_change_ns = UINT64_MAX,
		.cycles.speed = work_speed_new(),
	};
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

void follow_atoms_close(struct execution *execution)
{
	task_ids_free(execution->atoms.tasks);
}

static uint8_t set_of(const struct trace_branch *branch)
{
	static const uint8_t sets[] = {
		[TRACE_A64] = INSTRUCTION_A64,
		[TRACE_A32] = INSTRUCTION_A32,
		[TRACE_T32] = INSTRUCTION_T32,
		[TRACE_SET_MASK] = INSTRUCTION_A64,
	};

	return sets[branch->count & TRACE_SET_MASK];
}

/* Adds an item, which only lists show, that begins now. */
static void list_item(struct execution *execution, uint8_t kind,
		      uint8_t detail, uint64_t ip)
{
	struct flow_item *item;

	atom_times_begin(execution, false);
	if (!execution->lists_blocks)
		return;
	item = &execution_add(execution)->item;
	item->kind = kind;
	item->detail = detail & 0xf;
	item->ip = ip;
}

/* Tracing began, and what it begins with runs now. */
static void start(struct execution *execution)
{
	execution->atoms.must_start = false;
	list_item(execution, FLOW_START, 0,
		  execution->blocks[execution->block].ip);
	execution_forget_place(execution, execution->outside ? EXIT_ENTRY :
							       EXIT_START);
	execution->outside = false;
}

/* The trace said where execution is: if the code says another place, they do not
 * belong together.
 */
static void take_told(struct execution *execution, uint64_t position)
{
	struct atom_state *atoms = &execution->atoms;
	uint32_t told = atoms->told;

	atoms->told = BLOCK_NONE;
	if (told == BLOCK_NONE || told == execution->block)
		return;
	atom_gaps_add(execution, FLOW_GAP_BAD_TRACE, position);
	execution->block = told;
}

static uint8_t gap_reason(const struct execution *execution)
{
	uint8_t kind = BLOCK_NONE;

	if (execution->block != BLOCK_NONE)
		kind = execution->blocks[execution->block].kind;
	if (kind == BLOCK_NO_CODE)
		return FLOW_GAP_NO_CODE;
	if (kind == BLOCK_CODE_CHANGED)
		return FLOW_GAP_CODE_CHANGED;
	return kind == BLOCK_UNKNOWN ? FLOW_GAP_UNKNOWN_CODE :
				       FLOW_GAP_BAD_TRACE;
}

static void fail(struct execution *execution, uint64_t position)
{
	atom_gaps_open(execution, gap_reason(execution), position);
	execution->atoms.must_start = false;
}

/* Whether an instruction is known at @block. */
static bool has_code(struct execution *execution, uint32_t block)
{
	if (execution->blocks[block].kind == BLOCK_UNREAD)
		block_graph_read(execution->graph, block);
	return execution->blocks[block].kind < BLOCK_NO_CODE;
}

/* What is at execution->block runs now, or where the trace says.  Returns
 * whether it can.
 */
static bool begin_run(struct execution *execution, uint64_t position)
{
	uint32_t told = execution->atoms.told;
	uint32_t block = told == BLOCK_NONE ? execution->block : told;

	if (!has_code(execution, block)) {
		execution->block = block;
		fail(execution, position);
		return false;
	}
	take_told(execution, position);
	atom_gaps_close(execution, position);
	if (execution->atoms.must_start)
		start(execution);
	atom_times_begin(execution, true);
	return true;
}

static void end_run(struct execution *execution)
{
	atom_times_end(execution);
	execution->atoms.is_running = true;
	execution->atoms.is_expected = execution->block != BLOCK_NONE;
}

/* Whether what runs next is known, also by what called it. */
static bool has_place(struct execution *execution, uint64_t position)
{
	struct atom_state *atoms = &execution->atoms;

	if (!atoms->awaits_target)
		return execution->block != BLOCK_NONE;
	if (!atoms->pops_target)
		return false;
	if (walk_atoms_back(execution))
		return true;
	fail(execution, position);
	return false;
}

/* Returns how far behind the first packet of @branch that of its last @left
 * branches begins.
 */
static uint64_t packets_before(const struct trace_branch *branch,
			       unsigned int left)
{
	return (uint64_t)__builtin_popcountll(branch->low >> (left - 1)) - 1;
}

static void follow_some(struct execution *execution,
			const struct trace_branch *branch, uint64_t position)
{
	uint64_t bits = branch->payload << (64 - branch->count);
	unsigned int left;

	if (!has_place(execution, position) ||
	    !begin_run(execution, position))
		return;
	left = walk_atoms(execution, bits, branch->count);
	end_run(execution);
	/* Without a stack nobody knows where they are until an address. */
	if (left && (!execution->atoms.awaits_target ||
		     execution->atoms.pops_target))
		fail(execution, position + packets_before(branch, left));
}

static void go_to(struct execution *execution, uint64_t address, uint8_t set)
{
	struct atom_state *atoms = &execution->atoms;

	atoms->set = set;
	execution->set = set;
	if (atoms->awaits_target)
		walk_atoms_jump(execution, address);
	else if (atoms->is_running && atoms->is_expected)
		atoms->told = walk_find(execution, address);
	else
		execution->block = walk_find(execution, address);
}

static void follow_source(struct execution *execution,
			  const struct trace_branch *branch, uint64_t position)
{
	bool is_there;

	if (!has_place(execution, position))
		go_to(execution, branch->payload, set_of(branch));
	if (!begin_run(execution, position))
		return;
	is_there = walk_atoms_source(execution, branch->payload);
	end_run(execution);
	if (!is_there)
		fail(execution, position);
}

/* What ran last led to what is interrupted: unless nothing is known of it. */
static void interrupt(struct execution *execution, uint64_t address)
{
	atom_times_begin(execution, false);
	if (execution->passage != PASSAGE_OTHER ||
	    execution->exit != EXIT_UNSEEN) {
		walk_arrive(execution);
		execution->last_ip = walk_last_ip(execution);
		execution->from = execution->block;
	}
	list_item(execution, FLOW_ASYNC, 0, address);
	execution->return_address = address;
	execution->passage = PASSAGE_OTHER;
	execution->exit = EXIT_ASYNC;
}

/* Runs the code up to the exception.  Returns whether it is there. */
static bool run_to_exception(struct execution *execution,
			     const struct trace_branch *branch,
			     uint64_t position)
{
	struct atom_state *atoms = &execution->atoms;
	bool is_there;

	if (atoms->told == BLOCK_NONE &&
	    execution->blocks[execution->block].ip == branch->payload)
		return true;
	if (!begin_run(execution, position))
		return false;
	is_there = walk_atoms_to(execution, branch->payload,
				 branch->count & TRACE_EXCEPTION_CALL);
	end_run(execution);
	if (!is_there)
		fail(execution, position);
	return is_there;
}

/* A call is the last block's own exit; other exceptions break in. */
static void follow_exception(struct execution *execution,
			     const struct trace_branch *branch,
			     uint64_t position)
{
	struct atom_state *atoms = &execution->atoms;

	if (branch->count & TRACE_EXCEPTION_TARGET)
		go_to(execution, branch->payload, set_of(branch));
	if (!has_place(execution, position) ||
	    !run_to_exception(execution, branch, position))
		return;
	atoms->is_expected = false;
	if (!atoms->is_running)
		return;
	if (execution->passage == PASSAGE_OTHER &&
	    execution->exit == FLOW_EXIT_FAR_CALL)
		return;
	interrupt(execution, branch->payload);
}

/* 32-bit code returns by instructions that do other things as well. */
static void follow_exception_return(struct execution *execution)
{
	if (execution->atoms.awaits_target &&
	    (execution->exit == FLOW_EXIT_JUMP ||
	     execution->exit == FLOW_EXIT_RETURN))
		execution->exit = FLOW_EXIT_FAR_RETURN;
}

static void follow_on(struct execution *execution, bool is_overflow,
		      uint64_t position)
{
	struct atom_state *atoms = &execution->atoms;

	if (is_overflow)
		atom_gaps_add(execution, FLOW_GAP_OVERFLOW, position);
	if (atoms->is_running)
		atom_gaps_stop(execution, atom_gaps_stop_reason(execution));
	return_stack_clear(&execution->returns);
	execution->block = BLOCK_NONE;
	atoms->told = BLOCK_NONE;
	atoms->awaits_target = false;
	atoms->must_start = true;
	atom_times_lose_count(execution);
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
	atom_times_lose_count(execution);
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
		atom_times_count_stamp(execution, branch->payload);
	else
		atom_times_count(execution, branch->payload);
}

/* The set of a 32-bit address is known already. */
static void follow_mode(struct execution *execution, uint64_t mode)
{
	if (mode == execution->atoms.listed_mode)
		return;
	execution->atoms.listed_mode = mode;
	list_item(execution, FLOW_MODE, (uint8_t)mode, 0);
}

/* In a list it is an item; else the stream of events makes one of it. */
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

/* What could not be read up to here is no gap of its own within another. */
static void follow_gap(struct execution *execution, uint8_t reason,
		       uint64_t position)
{
	if (reason == FLOW_GAP_UNSYNCED && execution->atoms.gap.is_open)
		return;
	atom_gaps_open(execution, reason, position);
	if (reason == FLOW_GAP_CUT)
		atom_gaps_close(execution, position);
}

/* The CPU was traced until @end_ns at least, if it was switched off. */
static void end_stream(struct execution *execution, uint64_t end_ns)
{
	struct event_times *times = &execution->times;

	event_times_settle(times);
	if (end_ns > times->last_ns)
		times->last_ns = end_ns;
}

/* What is behind a synchronisation point is known. */
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
		follow_some(execution, branch, position);
	else if (branch->kind == TRACE_SOURCE)
		follow_source(execution, branch, position);
	else if (branch->kind == TRACE_EXCEPTION)
		follow_exception(execution, branch, position);
	else if (branch->kind == TRACE_EXCEPTION_RETURN)
		follow_exception_return(execution);
	else if (branch->kind == TRACE_ON)
		follow_on(execution, branch->count, position);
	else
		list_item(execution, FLOW_TRANSACTION,
			  (uint8_t)branch->payload, 0);
}

/* Returns whether @branch is of execution itself, not of time or who runs. */
static bool is_flow(const struct trace_branch *branch)
{
	uint8_t kind = branch->kind;

	return kind == TRACE_ATOMS || kind == TRACE_SOURCE ||
	       kind == TRACE_EXCEPTION || kind == TRACE_EXCEPTION_RETURN ||
	       kind == TRACE_ON || kind == TRACE_TRANSACTION;
}

/* A session's begin, its end, and what is missing. */
static void follow_session(struct execution *execution,
			   const struct trace_branch *branch,
			   uint64_t position)
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

/* The unit's own stack of calls is empty at a synchronisation point. */
static void follow_sync(struct execution *execution)
{
	return_stack_clear(&execution->returns);
	execution->atoms.pops_target = false;
	if (!execution->atoms.counts_cycles)
		instruction_pace_sync(&execution->times.pace);
}

int follow_atoms(struct execution *execution, const struct trace_branch *branch,
		 uint64_t position)
{
	if (is_flow(branch))
		follow_synced(execution, branch, position);
	else if (branch->kind == TRACE_ADDRESS)
		go_to(execution, branch->payload, set_of(branch));
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
