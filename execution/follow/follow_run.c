/* SPDX-License-Identifier: MIT */
#include "execution/follow/follow_run_internal.h"

#include "common/error.h"
#include "execution/follow/follow_internal.h"

/* A run is the engine's inner loop: everything that is done for nearly every
 * block that runs. Facts that depend on an edge alone are computed once and
 * stored in its block (block.h). The functions that set times are like those of
 * execution.h and event_times_set_known().
 *
 * struct run has the fields of an execution that change with each block, event
 * and branch. It stays in registers, because every function that gets a pointer
 * to it, or a copy, is inlined.
 *
 * run_of() copies the fields out of the execution, run_put_back() back into it.
 * In between, the execution's own fields are stale.
 */
struct run {
	const struct block *blocks;
	uint64_t work;		  /* event_times.work */
	union timed_record *next; /* the destination of the next record */
	/* the first record after the last branch */
	union timed_record *first;
	union timed_record *finished; /* the end of the finished records */
	/* index of the time bounds of everything that runs after the last
	 * branch
	 */
	uint32_t bounds;
	const struct block *from;  /* execution.from */
	const struct block *block; /* execution.block */
	enum block_edge edge;	   /* the edge that led to block */
	/* the kind of that edge: execution.edge_kind, but with thunks
	 * distinguished
	 */
	uint8_t edge_kind;
	uint64_t low_ns; /* time bounds of the last branch */
	uint64_t high_ns;
};

#define RUN_INLINE __attribute__((always_inline)) static inline

/* Starts a run. Requires that nothing ran since the last branch, and that the
 * events of arriving at its target are emitted.
 */
RUN_INLINE struct run run_of(struct execution *execution)
{
	struct event_times *times = &execution->times;

	return (struct run){
		.blocks = execution->blocks,
		.work = times->work,
		.next = times->records + times->count,
		.first = times->records + times->count,
		.finished = times->records + times->finished,
		.bounds = times->bounds_count,
		.from = &execution->blocks[execution->from],
		.block = &execution->blocks[execution->block],
		.edge_kind = EDGE_KIND_INSIDE,
		.low_ns = execution_low_ns(execution,
					   execution->bounds.before.low),
		.high_ns = execution_high_ns(execution,
					     execution->bounds.before.high),
	};
}

/* Returns the index of @block. */
RUN_INLINE uint32_t run_index(const struct run *run, const struct block *block)
{
	return (uint32_t)(block - run->blocks);
}

/* Copies @run back into @execution. @at_branch: nothing ran since the last
 * branch.
 */
RUN_INLINE void run_put_back(struct execution *execution, const struct run *run,
			     bool at_branch)
{
	struct event_times *times = &execution->times;
	bool has_bounds = run->next != run->first;

	execution->from = run_index(run, run->from);
	execution->block = run_index(run, run->block);
	execution->edge_kind = edge_word_kind(run->edge_kind);
	execution->exit = run->edge == EDGE_TAKEN ? run->from->exit :
						    FLOW_EXIT_NONE;
	execution->last_ip = 0;
	execution->bounds.at_branch = at_branch;
	execution->bounds.has_index = has_bounds;
	execution->bounds.index = run->bounds;
	times->work = run->work;
	times->count = (size_t)(run->next - times->records);
	times->finished = (size_t)(run->finished - times->records);
	times->bounds_count = run->bounds + has_bounds;
}

/* Emits the events of an edge whose effect depends on the edges before it. */
RUN_INLINE void run_arrive(struct execution *execution, struct run *run,
			   bool at_branch)
{
	struct event_times *times = &execution->times;

	run_put_back(execution, run, at_branch);
	execution_arrive(execution);
	run->next = times->records + times->count;
	run->bounds = execution->bounds.has_index ? execution->bounds.index :
						    times->bounds_count;
	run->first = execution->bounds.has_index ? NULL : run->next;
}

/* Adds an event of arriving at @run->block. */
RUN_INLINE void run_put(struct run *run, uint32_t bounds,
			enum function_event_kind kind, uint64_t address)
{
	const struct block *target = run->block;
	struct function_event *event = &run->next++->event;

	event->time_ns = run->work;
	event->early_ns = bounds;
	event->late_ns = 0;
	event->address = address;
	event->function = target->function;
	event->kind = (uint8_t)kind;
	event->detail = kind == FUNCTION_RETURN && target->is_entry;
	event->is_user = target->is_user;
}

/* Folds an edge into or between thunks, by enum edge_kind: everything up to
 * their end is one call, as in execution_arrive(). Returns whether that is all
 * that happens.
 */
RUN_INLINE bool run_fold(struct execution *execution, struct run *run)
{
	struct thunk_fold *fold = &execution->calls.fold;
	const struct block *from = run->from;
	bool is_call = from->exit == FLOW_EXIT_CALL;
	uint64_t return_address = from->ip + from->bytes;

	if (run->edge_kind == EDGE_KIND_TO_THUNK && !fold->active)
		*fold = (struct thunk_fold){
			.active = true,
			.exit = FLOW_EXIT_CALL,
			.from = from->function,
			.return_address = return_address,
		};
	else if (run->edge_kind != EDGE_KIND_IN_THUNK || !fold->active)
		return false;
	if (is_call)
		execution->calls.return_address = return_address;
	return true;
}

/* Like run_fold(), but for the edge out of the thunks: emits the call. */
RUN_INLINE bool run_unfold(struct execution *execution, struct run *run)
{
	struct thunk_fold *fold = &execution->calls.fold;

	if (run->edge_kind != EDGE_KIND_FROM_THUNK || !fold->active ||
	    fold->exit != FLOW_EXIT_CALL || !run->block->is_entry)
		return false;
	fold->active = false;
	run_put(run, run->bounds, FUNCTION_CALL, fold->return_address);
	return true;
}

RUN_INLINE void run_set_known_unusual(struct event_times *times,
				      struct run *run, uint64_t known_ns)
{
	times->work = run->work;
	times->count = (size_t)(run->next - times->records);
	times->finished = (size_t)(run->finished - times->records);
	event_times_set_known(times, known_ns);
	run->work = 0;
	run->finished = run->next;
}

/* Like event_times_set_known(): the time is @known_ns now, so all records added
 * so far are finished.
 */
RUN_INLINE void run_set_known(struct event_times *times, struct run *run,
			      uint64_t known_ns)
{
	uint64_t span_ns = known_ns - times->known_ns;

	/* Also where span_ns is negative. */
	if (!times->known_ns || times->pace.is_across ||
	    span_ns > EVENT_TIMES_LONGEST_NS ||
	    run->work - 1 >= BLOCK_WORK_SLOW - 1) {
		run_set_known_unusual(times, run, known_ns);
		return;
	}
	times->spans[times->span_count] = (struct event_span){
		.from_ns = times->known_ns,
		.step = (double)(int64_t)span_ns / (double)(int64_t)run->work,
	};
	times->span_count += run->finished != run->next;
	times->known_ns = known_ns;
	times->pace.sum_ns += span_ns;
	times->pace.sum_instructions += run->work;
	run->finished = run->next;
	run->work = 0;
}

RUN_INLINE void run_set_bounds(struct event_times *times, const struct run *run)
{
	times->bounds[run->bounds] = (struct event_bounds){
		.low_ns = run->low_ns,
		.high_ns = run->high_ns,
		.span = times->span_count,
	};
}

/* Emits the events of arriving at the target of the last branch. */
RUN_INLINE void run_arrive_there(struct execution *execution, struct run *run)
{
	const struct block *from = run->from;
	uint64_t ip = run->block->ip;

	if (run->edge_kind == EDGE_KIND_INSIDE)
		return;
	run_set_bounds(&execution->times, run);
	if (run->edge_kind == EDGE_KIND_RETURN)
		run_put(run, run->bounds, FUNCTION_RETURN, ip);
	else if (run->edge_kind == EDGE_KIND_CALL)
		run_put(run, run->bounds, FUNCTION_CALL,
			from->ip + from->bytes);
	else if (run->edge_kind == EDGE_KIND_TAIL_CALL)
		run_put(run, run->bounds, FUNCTION_TAIL_CALL, ip);
	else if (!run_unfold(execution, run) && !run_fold(execution, run))
		run_arrive(execution, run, true);
	run->bounds += run->next != run->first;
	run->first = run->next;
	run->edge_kind = EDGE_KIND_INSIDE;
}

/* Must be called before execution continues up to @branch, the next one. */
RUN_INLINE void run_expect(struct execution *execution, struct run *run,
			   const struct trace_branch *branch)
{
	run_arrive_there(execution, run);
	execution->bounds.next_high = branch->high;
	run->high_ns = execution_high_ns(execution, branch->high);
	run_set_bounds(&execution->times, run);
}

/* Like execution_set_last_branch(): @branch becomes the last branch. */
RUN_INLINE void run_pass(struct execution *execution, struct run *run,
			 const struct trace_branch *branch)
{
	struct time_bounds *before = &execution->bounds.before;

	run->bounds += run->next != run->first;
	run->first = run->next;
	if (branch->is_exact) {
		before->low = branch->low;
		run->low_ns = execution_low_ns(execution, branch->low);
	}
	before->high = branch->high;
}

/* Must be called before execution continues after @branch: uses its time if
 * that is known.
 */
RUN_INLINE void run_begin(struct execution *execution, struct run *run,
			  const struct trace_branch *branch)
{
	uint64_t known_ns;

	if (!branch->has_estimate)
		return;
	known_ns = execution_low_ns(execution, branch->estimate);
	if (known_ns)
		run_set_known(&execution->times, run, known_ns);
}

/* Sets the position of @run to that of @execution, after a function that may
 * have added blocks; @from is the index of the block that ran.
 */
RUN_INLINE void run_go_on(const struct execution *execution, struct run *run,
			  uint32_t from)
{
	run->blocks = execution->blocks;
	run->from = &run->blocks[from];
	run->block = &run->blocks[execution->block];
	run->edge_kind = execution->edge_kind;
}

/* Finds the target of @run->edge, which is taken for the first time. */
RUN_INLINE void run_find_edge(struct execution *execution, struct run *run)
{
	uint32_t from = run_index(run, run->from);

	execution->block = from;
	walk_along(execution, run->edge);
	run_go_on(execution, run, from);
}

/* Runs @run->block, which ends in a return, and goes to the return address of
 * the innermost call; to BLOCK_NONE if there is none.
 */
RUN_INLINE void run_find_back(struct execution *execution, struct run *run)
{
	uint32_t from = run_index(run, run->block);

	execution->block = from;
	run->work += run->block->work;
	run->edge = EDGE_TAKEN;
	/* This also holds if there is no such call. */
	execution->edge_kind = EDGE_KIND_OTHER;
	if (!walk_back(execution))
		execution->block = BLOCK_NONE;
	run_go_on(execution, run, from);
}

/* Emits the events of an edge that leads to another function, or may. */
RUN_INLINE void run_enter(struct execution *execution, struct run *run)
{
	uint64_t ip = run->block->ip;

	if (run->edge_kind == EDGE_KIND_RETURN)
		run_put(run, run->bounds, FUNCTION_RETURN, ip);
	else if (run->edge_kind == EDGE_KIND_TAIL_CALL)
		run_put(run, run->bounds, FUNCTION_TAIL_CALL, ip);
	else if (!run_fold(execution, run))
		run_arrive(execution, run, false);
	run->edge_kind = EDGE_KIND_INSIDE;
}

/* Goes to the target of edge @word. */
RUN_INLINE void run_go(struct run *run, uint32_t word)
{
	run->block = block_at(run->blocks, word);
	run->edge_kind = word & BLOCK_EDGE_MASK;
}

/* Runs @run->block and goes along @edge. */
RUN_INLINE void run_along(struct run *run, enum block_edge edge)
{
	const struct block *block = run->block;

	run->work += block->work;
	run->from = block;
	run->edge = edge;
	run_go(run, block->edges[edge]);
}

/* Like run_along(), but for an edge that probably stays in the function.
 * Returns whether it does.
 */
RUN_INLINE bool run_inside(struct run *run, enum block_edge edge)
{
	const struct block *block = run->block;
	uint32_t word = block->edges[edge];

	run->work += block->work;
	run->from = block;
	run->edge = edge;
	if (__builtin_expect(word & BLOCK_EDGE_MASK, 0)) {
		run_go(run, word);
		return false;
	}
	run->block = block_inside(run->blocks, word);
	run->edge_kind = EDGE_KIND_INSIDE;
	return true;
}

/* Runs @run->block, which ends in a direct call, and goes to its target. */
RUN_INLINE void run_call(struct execution *execution, struct run *run)
{
	uint64_t return_address = run->block->ip + run->block->bytes;

	return_stack_push(&execution->calls.returns, return_address,
			  run_index(run, run->block));
	run_along(run, EDGE_TAKEN);
	if (run->edge_kind != EDGE_KIND_CALL)
		return;
	run_put(run, run->bounds, FUNCTION_CALL, return_address);
	run->edge_kind = EDGE_KIND_INSIDE;
}

/* Returns whether the jump at the end of @block leads to a block that only
 * returns: the kernel's __x86_return_thunk, which may be patched to do more.
 */
RUN_INLINE bool run_is_thunk_return(const struct run *run,
				    const struct block *block)
{
	return block_edge_is(block, EDGE_TAKEN, EDGE_KIND_THUNK_RETURN) &&
	       run->blocks[block_to(block, EDGE_TAKEN)].kind == BLOCK_RETURN;
}

/* Runs @run->block if it ends in a return from plain code to plain code,
 * directly or through a thunk. Returns whether it did.
 */
RUN_INLINE bool run_back(struct execution *execution, struct run *run,
			 bool is_taken)
{
	bool is_return =
		block_edge_is(run->block, EDGE_TAKEN, EDGE_KIND_RETURN);
	const struct block *call;

	if (!is_return && !run_is_thunk_return(run, run->block))
		return false;
	call = &run->blocks[return_stack_top(&execution->calls.returns)];
	if (!block_edge_is(call, EDGE_NEXT, EDGE_KIND_RETURN) || !is_taken)
		return false;
	if (!is_return)
		run_along(run, EDGE_TAKEN);
	run_along(run, EDGE_TAKEN);
	run_go(run, call->edges[EDGE_NEXT]);
	return_stack_drop(&execution->calls.returns);
	return true;
}

/* Returns whether another block may run that needs no trace, and counts it in
 * *@left, the number of such blocks allowed.
 */
RUN_INLINE bool run_has_room(struct execution *execution, const struct run *run,
			     unsigned int *left)
{
	return (*left)-- && run->next <= execution->times.records +
						 EVENT_TIMES_ROOM -
						 RECORDS_AT_ONCE;
}

/* Runs @run->block and goes on, if it needs no trace and is not a call. Returns
 * whether the loop may continue: the block ran, or was read again.
 */
RUN_INLINE bool run_straight(struct execution *execution, struct run *run)
{
	switch ((int)run->block->kind) {
	case BLOCK_JUMP:
		run_along(run, EDGE_TAKEN);
		return true;
	case BLOCK_FALL:
		run_along(run, EDGE_NEXT);
		return true;
	case BLOCK_UNREAD:
		block_graph_read(execution->graph, run_index(run, run->block));
		return true;
	default:
		return false;
	}
}

/* Completes the edge that @run just took, which may be new or lead to another
 * function. Emits the events of the edge only if branches are left (@has_more);
 * otherwise run_arrive_there() emits them. Returns false if the target of the
 * edge is unknown.
 */
RUN_INLINE bool run_in(struct execution *execution, struct run *run,
		       bool has_more)
{
	if (run->edge_kind == EDGE_KIND_NEW)
		run_find_edge(execution, run);
	if (run->block == run->blocks)
		return false;
	if (has_more && run->edge_kind != EDGE_KIND_INSIDE)
		run_enter(execution, run);
	return true;
}

/* Follows @count branches, the oldest in the highest bit of @bits. Returns the
 * number of branches not consumed. After the last one, @run->block may be
 * BLOCK_NONE: its target is unknown.
 */
RUN_INLINE unsigned int run_bits(struct execution *execution, struct run *run,
				 uint64_t bits, unsigned int count)
{
	unsigned int left = WALK_MOST_STRAIGHT;

	while (count) {
		uint8_t kind = run->block->kind;
		bool is_taken = bits >> 63;

		if (__builtin_expect(kind == BLOCK_CONDITIONAL, 1)) {
			bits <<= 1;
			count--;
			if (run_inside(run, is_taken))
				continue;
		} else if (kind == BLOCK_CALL) {
			if (!run_has_room(execution, run, &left))
				break;
			run_call(execution, run);
		} else if (run_back(execution, run, is_taken)) {
			bits <<= 1;
			count--;
		} else if (is_taken && kind == BLOCK_RETURN) {
			bits <<= 1;
			count--;
			run_find_back(execution, run);
		} else if (!run_has_room(execution, run, &left) ||
			   !run_straight(execution, run)) {
			break;
		}
		if (__builtin_expect(run->edge_kind == EDGE_KIND_INSIDE, 1))
			continue;
		if (!run_in(execution, run, count))
			break;
	}
	return count;
}

/* Runs up to and including the next indirect branch or far transfer. Returns
 * false if the code leads elsewhere. Sets *@by_thunk if that is a return in a
 * thunk which a jump led to.
 */
RUN_INLINE bool run_to_target(struct execution *execution, struct run *run,
			      bool *by_thunk)
{
	unsigned int left = WALK_MOST_STRAIGHT;

	*by_thunk = false;
	for (;;) {
		if (!run_has_room(execution, run, &left))
			return false;
		if (block_takes_target(run->block->kind))
			break;
		if (run->block->kind == BLOCK_CALL)
			run_call(execution, run);
		else if (!run_straight(execution, run))
			return false;
		if (run->edge_kind == EDGE_KIND_INSIDE)
			continue;
		if (run->edge_kind == EDGE_KIND_THUNK_RETURN &&
		    run->block->kind == BLOCK_RETURN) {
			*by_thunk = true;
			break;
		}
		if (!run_in(execution, run, true))
			return false;
	}
	if (run->block->kind == BLOCK_INDIRECT_CALL)
		return_stack_push(&execution->calls.returns,
				  run->block->ip + run->block->bytes,
				  run_index(run, run->block));
	run_along(run, EDGE_TAKEN);
	return true;
}

/* Remembers that a return, which began with a jump to a thunk, has not left the
 * thunks yet.
 */
RUN_INLINE void run_stay_in_thunk(struct execution *execution)
{
	execution->calls.fold.active = true;
	execution->calls.fold.exit = FLOW_EXIT_RETURN;
}

RUN_INLINE void run_find_target(struct execution *execution, struct run *run,
				uint64_t address)
{
	uint32_t from = run_index(run, run->from);
	uint32_t word;

	if (walk_enters_user(execution, from, address))
		walk_enter_user(execution, address);
	word = block_graph_jump(execution->graph, from, address);

	execution->blocks = block_graph_blocks(execution->graph);
	run->blocks = execution->blocks;
	run->from = &run->blocks[from];
	run_go(run, word);
}

/* Goes from the branch that ran last to @address: nearly always its previous
 * target, see block_graph_jump(). @by_thunk is as for run_to_target().
 */
RUN_INLINE void run_jump(struct execution *execution, struct run *run,
			 uint64_t address, bool by_thunk)
{
	const struct block *to = run->block;

	if (to->ip != address || to == run->blocks ||
	    (to->is_user && !run->from->is_user))
		run_find_target(execution, run, address);
	if (run->from->kind == BLOCK_INDIRECT_CALL ||
	    run->from->kind == BLOCK_INDIRECT_JUMP)
		return;
	/* The effect of a far transfer depends on more than its edge, and that
	 * of a return may.
	 */
	if (run->from->kind == BLOCK_RETURN &&
	    block_returned(by_thunk || run->from->is_plain, run->block) ==
		    EDGE_KIND_RETURN) {
		run->edge_kind = EDGE_KIND_RETURN;
		return;
	}
	if (by_thunk)
		run_stay_in_thunk(execution);
	if (run->edge_kind != EDGE_KIND_FROM_THUNK)
		run->edge_kind = EDGE_KIND_OTHER;
}

/* Returns whether the loop can start: execution is at the target of the last
 * branch, and no mode, guest or pending target needs a check. Records of the
 * previous segment that wait (times.elsewhere) count against EVENT_TIMES_ROOM,
 * but the loop does not count them. Until they are finished, follow_branch()
 * follows, so that a segment calls event_times_flush() after the same branch as
 * the whole stream would.
 */
static bool is_usual_place(const struct execution *execution)
{
	return execution->bounds.at_branch && execution->block != BLOCK_NONE &&
	       !execution->lists_blocks && !execution->has_wrong_ip_base &&
	       !execution->targets_ahead && !execution->guest.state &&
	       execution->sets.current == execution->sets.next &&
	       !execution->times.elsewhere &&
	       event_times_wants_more(&execution->times);
}

/* Returns whether the loop can follow @branch from a block of @kind: bits or,
 * if the block can lead to an indirect branch, a target. The block must contain
 * code.
 */
RUN_INLINE bool is_usual(const struct trace_branch *branch, uint8_t kind)
{
	if (!branch->is_timed || kind == BLOCK_UNREAD || kind >= BLOCK_NO_CODE)
		return false;
	return branch->kind == TRACE_BITS ||
	       (branch->kind == TRACE_TARGET && branch->has_address &&
		kind != BLOCK_CONDITIONAL);
}

/* Like event_times_wants_more(), for the records of @run. */
RUN_INLINE bool wants_more(const struct execution *execution,
			   const struct run *run)
{
	const union timed_record *records = execution->times.records;

	return run->next < records + EVENT_TIMES_ENOUGH ||
	       (run->finished < records + EVENT_TIMES_ENOUGH &&
		run->next <= records + EVENT_TIMES_ROOM - EVENT_TIMES_SPARE);
}

/* Follows @branch. Returns whether the code leads where the trace says. */
RUN_INLINE bool follow_one(struct execution *execution, struct run *run,
			   const struct trace_branch *branch)
{
	bool by_thunk;
	unsigned int left;

	run_expect(execution, run, branch);
	if (branch->kind == TRACE_BITS) {
		left = run_bits(execution, run,
				branch->payload << (64 - branch->count),
				branch->count);
		execution->bits_left = (uint8_t)left;
		if (left || run->block == run->blocks)
			return false;
		run_pass(execution, run, branch);
	} else {
		if (!run_to_target(execution, run, &by_thunk))
			return false;
		run_pass(execution, run, branch);
		run_jump(execution, run, branch->payload, by_thunk);
	}
	return true;
}

/* Follows branches while the loop can. Returns the first branch that is not
 * consumed; if *@is_stuck, it is consumed in part.
 */
RUN_INLINE const struct trace_branch *
follow_all(struct execution *execution, const struct trace_branch *first,
	   const struct trace_branch *end, bool *is_stuck)
{
	const struct trace_branch *branch = first;
	struct run run = run_of(execution);

	for (;;) {
		*is_stuck = !follow_one(execution, &run, branch);
		if (*is_stuck)
			break;
		branch++;
		if (branch == end || !wants_more(execution, &run) ||
		    execution->bounds.before.high >= execution->changes.next ||
		    !is_usual(branch, run.block->kind))
			break;
		run_begin(execution, &run, branch - 1);
	}
	run_put_back(execution, &run, !*is_stuck);
	if (branch > first)
		execution_set_known_time(execution, branch - 1);
	return branch;
}

/* Continues with the general code at a branch that the loop could not follow.
 */
static void follow_stuck(struct execution *execution,
			 const struct trace_branch *branch,
			 const struct trace_branch *end, uint64_t position)
{
	const struct branch_range behind = { branch + 1, end };

	if (branch->kind == TRACE_BITS)
		follow_stuck_bits(execution, branch, &behind, position);
	else
		follow_stuck_target(execution, branch, position);
}

int follow_run(struct execution *execution, const struct trace_branch *branch,
	       const struct trace_branch *end, uint64_t position)
{
	const struct trace_branch *first = branch;
	bool is_stuck;

	if (!is_usual_place(execution) ||
	    !is_usual(branch, execution->blocks[execution->block].kind))
		return 0;
	execution_begin_record(execution);
	walk_arrive(execution);
	branch = follow_all(execution, branch, end, &is_stuck);
	if (is_stuck) {
		follow_stuck(execution, branch, end,
			     position + branch->position);
		branch++;
	}
	if (execution->bounds.before.high >= execution->changes.next &&
	    follow_update_code(execution) < 0)
		return -ERROR_MEMORY;
	return (int)(branch - first);
}
