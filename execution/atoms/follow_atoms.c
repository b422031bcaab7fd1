/* SPDX-License-Identifier: MIT */
#include "execution/atoms/follow_atoms.h"

#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/switch_feed.h"
#include "decoder/recording/recording.h"
#include "execution/atoms/atom_times_internal.h"
#include "execution/atoms/walk_atoms_internal.h"
#include "execution/instruction/arm_instruction.h"
#include "execution/walk/execution.h"
#include "execution/walk/position.h"
#include "execution/walk/walk.h"

/* The effect of each element of ETMv4 and ETE on execution: one function for
 * each kind of branch (atom_flow_*()), which moves execution by walk_atoms.c
 * and opens and closes gaps; and the decoder state that a sync point saves
 * (atom_point_*()).
 *
 * A gap opens when the position is unknown (atom_gaps_open()), and is emitted
 * when execution is known again (atom_gaps_close()), with the number of bytes
 * between. Gaps of one reason in a row are one gap.
 *
 * Two restored states are the same (atom_point_is_same()) if the records after
 * them cannot differ: only then may segments of different threads be joined.
 */

/* Interruptions of atom decoding: gaps, which are emitted with their size when
 * they end, and stops of the trace.
 */

static void fill_gap(struct execution *execution, union timed_record *record,
		     const struct atom_gap *gap, uint64_t size)
{
	uint32_t lost = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;

	if (execution->lists_blocks) {
		record->item.kind = FLOW_GAP;
		record->item.detail = gap->reason & 0xf;
		record->item.ip = gap->position;
		record->item.last = lost;
		return;
	}
	record->event.kind = FUNCTION_GAP;
	record->event.detail = gap->reason;
	record->event.address = gap->position;
	record->event.lost_bytes = lost;
	execution_mark(execution, MARK_PAUSE);
}

/* Resets how execution arrived: the next position is known, but not the branch
 * that led to it.
 */
static void forget_source(struct execution *execution)
{
	execution_forget_source(execution, EXIT_UNTRACED);
	execution->outside = false;
	execution->calls.nmi_return = NO_NMI;
	execution->last_ip = 0;
	execution->atoms.is_running = false;
}

/* Ends the open gap, if any, at @position.
 *
 * How much ran in the gap, and for how long, is unknown.
 */
static void atom_gaps_close(struct execution *execution, uint64_t position)
{
	struct atom_gap *gap = &execution->atoms.gap;
	uint64_t size = position > gap->position ? position - gap->position : 0;

	if (!gap->is_open)
		return;
	gap->is_open = false;
	atom_times_set_bounds(execution, gap->low_ns, gap->high_ns);
	fill_gap(execution, execution_add(execution), gap, size);
	execution->times.work += BLOCK_WORK_SLOW;
	forget_source(execution);
}

/* Opens a gap, which lasts until the next execution. Consecutive gaps of the
 * same reason are merged. @position: in the stream's bytes.
 */
static void atom_gaps_open(struct execution *execution, uint8_t reason,
			   uint64_t position)
{
	struct atom_gap *gap = &execution->atoms.gap;

	if (gap->is_open && gap->reason != reason)
		atom_gaps_close(execution, position);
	atom_times_after(execution);
	if (!gap->is_open)
		*gap = (struct atom_gap){
			.is_open = true,
			.reason = reason,
			.position = position,
			.low_ns = execution->atoms.bound_low_ns,
			.high_ns = execution->atoms.bound_high_ns,
		};
	execution->block = BLOCK_NONE;
	execution->atoms.reported = BLOCK_NONE;
	execution->atoms.awaits_target = false;
	execution->atoms.is_running = false;
	atom_cycles_lose(execution);
}

/* Adds a gap without bytes: execution continues at a different address than the
 * trace implies.
 */
static void atom_gaps_add(struct execution *execution, uint8_t reason,
			  uint64_t position)
{
	uint32_t block = execution->block;

	atom_gaps_open(execution, reason, position);
	atom_gaps_close(execution, position);
	execution->block = block;
}

/* Stops tracing after the last executed instruction; @reason: enum flow_stop.
 */
static void atom_gaps_stop(struct execution *execution, uint8_t reason)
{
	union timed_record *record;

	atom_times_after(execution);
	record = execution_add(execution);
	if (execution->lists_blocks) {
		record->item.kind = FLOW_STOP;
		record->item.detail = reason & 0xf;
	} else {
		record->event.kind = FUNCTION_TRACE_STOP;
		record->event.detail = reason;
	}
	execution->times.work += BLOCK_WORK_SLOW;
	position_leave(execution, reason);
	execution->atoms.awaits_target = false;
	execution->atoms.is_running = false;
}

/* Returns whether @word is MSR TRFCR_EL1, Xt. A trace buffer's driver switches
 * tracing off with it while it handles a full buffer (Linux,
 * drivers/hwtracing/coresight/coresight-trbe.c).
 */
static bool writes_trfcr(uint32_t word)
{
	return (word & 0xffffffe0) == 0xd5181220;
}

/* Returns whether the next block writes TRFCR_EL1. */
static bool turns_off(struct execution *execution)
{
	const struct block *block = &execution->blocks[execution->block];
	uint8_t bytes[4];

	if (execution->block == BLOCK_NONE || !execution->atoms.is_expected ||
	    block_graph_info(execution->graph, execution->block)->set !=
		    INSTRUCTION_A64)
		return false;
	for (uint32_t at = 0; at < block->bytes; at += sizeof(bytes)) {
		if (code_space_copy(execution->code, block->ip + at, bytes,
				    sizeof(bytes)) < sizeof(bytes))
			return false;
		if (writes_trfcr(arm_word(bytes)))
			return true;
	}
	return false;
}

/* Returns why tracing stopped (enum flow_stop).
 *
 * The target of a system call or a return from an exception is not traced; any
 * other stop not made by the kernel is a branch out of the filter's address
 * ranges.
 */
static uint8_t atom_gaps_stop_reason(struct execution *execution)
{
	uint8_t exit = execution->exit;

	if (execution->edge_kind == EDGE_KIND_OTHER &&
	    (exit == EXIT_ASYNC ||
	     (exit >= FLOW_EXIT_FAR_CALL && exit <= FLOW_EXIT_FAR_JUMP)))
		return FLOW_STOP_LEVEL;
	return turns_off(execution) ? FLOW_STOP_OFF : FLOW_STOP_FILTER;
}

/* Returns the instruction set (enum instruction_set) that @branch names. */
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

/* Adds an item that starts now, if records are flow items. */
static void atom_flow_list(struct execution *execution, uint8_t kind,
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

/* Emits the start of tracing, before the first block runs. */
static void start(struct execution *execution)
{
	execution->atoms.must_start = false;
	atom_flow_list(execution, FLOW_START, 0,
		       execution->blocks[execution->block].ip);
	execution_forget_source(execution,
				execution->outside ? EXIT_ENTRY : EXIT_START);
	execution->outside = false;
}

/* Compares the address that the trace reported with the position that follows
 * from the code. If they differ, the code does not match the trace: adds a gap
 * and goes to the address.
 */
static void consume_reported(struct execution *execution, uint64_t position)
{
	struct atom_state *atoms = &execution->atoms;
	uint32_t reported = atoms->reported;

	atoms->reported = BLOCK_NONE;
	if (reported == BLOCK_NONE || reported == execution->block)
		return;
	atom_gaps_add(execution, FLOW_GAP_BAD_TRACE, position);
	execution->block = reported;
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
	if (kind == BLOCK_GENERATED)
		return FLOW_GAP_GENERATED;
	return kind == BLOCK_UNKNOWN ? FLOW_GAP_UNKNOWN_CODE :
				       FLOW_GAP_BAD_TRACE;
}

static void fail(struct execution *execution, uint64_t position)
{
	atom_gaps_open(execution, gap_reason(execution), position);
	execution->atoms.must_start = false;
}

/* Returns whether the code of @block is known. */
static bool has_code(struct execution *execution, uint32_t block)
{
	if (execution->blocks[block].kind == BLOCK_UNREAD)
		block_graph_read(execution->graph, block);
	return execution->blocks[block].kind < BLOCK_NO_CODE;
}

/* Prepares to run execution->block, or the block at the address in the trace.
 * Returns false if there is none.
 */
static bool begin_run(struct execution *execution, uint64_t position)
{
	uint32_t reported = execution->atoms.reported;
	uint32_t block = reported == BLOCK_NONE ? execution->block : reported;

	if (!has_code(execution, block)) {
		execution->block = block;
		fail(execution, position);
		return false;
	}
	consume_reported(execution, position);
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

/* Returns whether the next block is known, taking it from the return stack if
 * necessary.
 */
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

/* Returns the distance in bytes from the first packet of @branch to the packet
 * of its last @left branches.
 */
static uint64_t packets_before(const struct trace_branch *branch,
			       unsigned int left)
{
	return (uint64_t)__builtin_popcountll(branch->low >> (left - 1)) - 1;
}

/* Follows TRACE_ATOMS. */
static void atom_flow_atoms(struct execution *execution,
			    const struct trace_branch *branch,
			    uint64_t position)
{
	uint64_t bits = branch->payload << (64 - branch->count);
	unsigned int left;

	if (!has_place(execution, position) || !begin_run(execution, position))
		return;
	left = walk_atoms(execution, bits, branch->count);
	end_run(execution);
	/* Without a stack the target is unknown until an address follows. */
	if (left &&
	    (!execution->atoms.awaits_target || execution->atoms.pops_target))
		fail(execution, position + packets_before(branch, left));
}

static void go_to(struct execution *execution, uint64_t address, uint8_t set)
{
	struct atom_state *atoms = &execution->atoms;

	atoms->set = set;
	execution->sets.current = set;
	if (atoms->awaits_target)
		walk_atoms_jump(execution, address);
	else if (atoms->is_running && atoms->is_expected)
		atoms->reported = walk_find(execution, address);
	else
		execution->block = walk_find(execution, address);
}

/* Follows TRACE_SOURCE. */
static void atom_flow_source(struct execution *execution,
			     const struct trace_branch *branch,
			     uint64_t position)
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

/* Interrupts execution at @address. The last branch arrived at the interrupted
 * block, unless its source is unknown.
 */
static void interrupt(struct execution *execution, uint64_t address)
{
	atom_times_begin(execution, false);
	if (execution->edge_kind != EDGE_KIND_OTHER ||
	    execution->exit != EXIT_UNTRACED) {
		walk_arrive(execution);
		execution->last_ip = walk_last_ip(execution);
		execution->from = execution->block;
	}
	atom_flow_list(execution, FLOW_ASYNC, 0, address);
	execution->calls.return_address = address;
	execution->edge_kind = EDGE_KIND_OTHER;
	execution->exit = EXIT_ASYNC;
}

/* Runs the code up to the exception. Returns whether the code leads there. */
static bool run_to_exception(struct execution *execution,
			     const struct trace_branch *branch,
			     uint64_t position)
{
	struct atom_state *atoms = &execution->atoms;
	bool is_there;

	if (atoms->reported == BLOCK_NONE &&
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

/* Follows TRACE_EXCEPTION. A system call is the last block's own exit; other
 * exceptions interrupt it.
 */
static void atom_flow_exception(struct execution *execution,
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
	if (execution->edge_kind == EDGE_KIND_OTHER &&
	    execution->exit == FLOW_EXIT_FAR_CALL)
		return;
	interrupt(execution, branch->payload);
}

/* Follows TRACE_EXCEPTION_RETURN. 32-bit code returns with instructions that
 * have other uses as well, so only the trace shows what the last branch was.
 */
static void atom_flow_exception_return(struct execution *execution)
{
	if (execution->atoms.awaits_target &&
	    (execution->exit == FLOW_EXIT_JUMP ||
	     execution->exit == FLOW_EXIT_RETURN))
		execution->exit = FLOW_EXIT_FAR_RETURN;
}

/* Follows TRACE_ON. */
static void atom_flow_on(struct execution *execution, bool is_overflow,
			 uint64_t position)
{
	struct atom_state *atoms = &execution->atoms;

	if (is_overflow)
		atom_gaps_add(execution, FLOW_GAP_OVERFLOW, position);
	if (atoms->is_running)
		atom_gaps_stop(execution, atom_gaps_stop_reason(execution));
	return_stack_clear(&execution->calls.returns);
	execution->block = BLOCK_NONE;
	atoms->reported = BLOCK_NONE;
	atoms->awaits_target = false;
	atoms->must_start = true;
	atom_cycles_lose(execution);
}

/* Follows TRACE_ADDRESS. */
static void atom_flow_address(struct execution *execution,
			      const struct trace_branch *branch)
{
	go_to(execution, branch->payload, set_of(branch));
}

struct atom_state atom_point_first(void)
{
	return (struct atom_state){
		.reported = BLOCK_NONE,
		.instructions = 1,
		.task = -1,
		.next_change_ns = UINT64_MAX,
	};
}

void atom_point_save(struct atom_point *point,
		     const struct execution *execution)
{
	const struct atom_state *atoms = &execution->atoms;

	*point = (struct atom_point){ .state = atom_point_first() };
	if (!atoms->is_on)
		return;
	point->state = *atoms;
	point->state.tasks = NULL;
	point->state.reported = BLOCK_NONE;
	point->state.instructions -= atoms->cycles.counted;
	point->state.cycles.counted = 0;
	if (atoms->reported != BLOCK_NONE) {
		point->reported_ip = execution->blocks[atoms->reported].ip;
		point->reported_set =
			block_graph_info(execution->graph, atoms->reported)->set;
	}
	point->has_pid = atoms->tasks;
	if (point->has_pid)
		point->pid = code_space_pid(execution->code);
}

/* Replaces the state by that of an execution of the same unit. */
static void put_state(const struct atom_state *state, struct atom_state *atoms)
{
	const struct atom_state own = *atoms;

	*atoms = *state;
	atoms->is_on = own.is_on;
	atoms->has_returns = own.has_returns;
	atoms->counts_cycles = own.counts_cycles;
	atoms->clock = own.clock;
	atoms->tasks = own.tasks;
}

int atom_point_restore(const struct atom_point *point,
		       struct execution *execution, uint64_t next_change_ns)
{
	struct atom_state *atoms = &execution->atoms;
	struct code_space *code = execution->code;
	int status = 0;

	if (!atoms->is_on)
		return 0;
	put_state(&point->state, atoms);
	if (point->has_pid && code_space_pid(code) != point->pid)
		status = code_space_set_process(code, point->pid,
						next_change_ns - 1);
	atoms->next_change_ns = code_space_next_change_ns(code);
	atoms->reported = BLOCK_NONE;
	if (point->reported_ip)
		atoms->reported = walk_find_set(execution, point->reported_ip,
						point->reported_set);
	return status;
}

static bool is_same_place(const struct atom_state *a,
			  const struct atom_state *b)
{
	return a->is_running == b->is_running &&
	       a->must_start == b->must_start &&
	       a->awaits_target == b->awaits_target &&
	       a->pops_target == b->pops_target &&
	       a->is_expected == b->is_expected && a->set == b->set &&
	       a->listed_mode == b->listed_mode && a->task == b->task &&
	       a->named_tasks == b->named_tasks;
}

static bool is_same_gap(const struct atom_gap *a, const struct atom_gap *b)
{
	if (!a->is_open || !b->is_open)
		return a->is_open == b->is_open;
	return a->reason == b->reason && a->position == b->position &&
	       a->low_ns == b->low_ns && a->high_ns == b->high_ns;
}

static bool is_same_time(const struct atom_state *a, const struct atom_state *b)
{
	return a->low_ns == b->low_ns && a->known_ns == b->known_ns &&
	       a->bound_low_ns == b->bound_low_ns &&
	       a->bound_high_ns == b->bound_high_ns &&
	       a->after_low_ns == b->after_low_ns &&
	       a->after_high_ns == b->after_high_ns &&
	       a->instructions == b->instructions &&
	       a->work_seen == b->work_seen;
}

static bool are_same_cycles(const struct atom_cycles *a,
			    const struct atom_cycles *b)
{
	return a->is_known == b->is_known && a->stamped == b->stamped &&
	       a->carried == b->carried && a->counted == b->counted &&
	       a->work == b->work && a->weighed == b->weighed;
}

bool atom_point_is_same(const struct atom_point *a, const struct atom_point *b)
{
	return is_same_place(&a->state, &b->state) &&
	       is_same_gap(&a->state.gap, &b->state.gap) &&
	       is_same_time(&a->state, &b->state) &&
	       are_same_cycles(&a->state.cycles, &b->state.cycles) &&
	       a->reported_ip == b->reported_ip &&
	       a->reported_set == b->reported_set && a->has_pid == b->has_pid &&
	       a->pid == b->pid;
}

/* Decides where the running task is known from: the kernel's switch records, or
 * else the trace. The records cannot be used in a trace without times, nor if
 * they do not contain the CPU (perf's per-task records).
 *
 * Returns 0 or -ERROR_MEMORY.
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
	atoms->reported = BLOCK_NONE;
	atoms->awaits_target = false;
	atoms->is_running = false;
	atoms->must_start = false;
	execution->is_off = false;
	return_stack_clear(&execution->calls.returns);
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
		atom_cycles_consume_stamped(execution, branch->payload);
	else
		atom_cycles_consume(execution, branch->payload);
}

/* Emits a change of the CPU's mode. The preceding TRACE_ADDRESS has already set
 * the instruction set.
 */
static void follow_mode(struct execution *execution, uint64_t mode)
{
	if (mode == execution->atoms.listed_mode)
		return;
	execution->atoms.listed_mode = mode;
	atom_flow_list(execution, FLOW_MODE, (uint8_t)mode, 0);
}

/* Adds a FLOW_SWITCH item. Among events it has a MARK_TASK, by which
 * execution_stream.c converts it to an event.
 */
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

/* Starts a gap. Unreadable trace inside another gap does not start a new one.
 */
static void follow_gap(struct execution *execution, uint8_t reason,
		       uint64_t position)
{
	if (reason == FLOW_GAP_UNSYNCED && execution->atoms.gap.is_open)
		return;
	atom_gaps_open(execution, reason, position);
	if (reason == FLOW_GAP_CUT)
		atom_gaps_close(execution, position);
}

/* Ends the stream. The CPU was traced at least until @end_ns, even if it was
 * switched off then.
 */
static void end_stream(struct execution *execution, uint64_t end_ns)
{
	struct event_times *times = &execution->times;

	event_times_flush(times);
	if (end_ns > times->last_ns)
		times->last_ns = end_ns;
}

/* Ends a gap of unreadable trace: after a sync point the state is known. */
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

/* Follows TRACE_SESSION, TRACE_SESSION_END, TRACE_GAP and TRACE_END. */
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

/* Follows a sync point, at which the unit empties its own return stack. */
static void follow_sync(struct execution *execution)
{
	return_stack_clear(&execution->calls.returns);
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
