/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_RUN_H
#define KT_EXECUTION_RUN_H

#include "execution/walk/execution.h"

/* The fields of an execution that change with each block, event and branch of a
 * run: see follow_run.h. It stays in registers, because every function that
 * gets a pointer to it, or a copy, is inlined.
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
	enum block_edge edge;	   /* the edge from @from to @block */
	/* the kind of that edge: execution.passage, but with thunks
	 * distinguished
	 */
	uint8_t passage;
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
		.passage = PASSAGE_INSIDE,
		.low_ns = moment_low_ns(execution, execution->before.low),
		.high_ns = moment_high_ns(execution, execution->before.high),
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
	execution->passage = block_way_passage(run->passage);
	execution->exit = run->edge == EDGE_TAKEN ? run->from->exit :
						    FLOW_EXIT_NONE;
	execution->last_ip = 0;
	execution->at_branch = at_branch;
	execution->has_bounds = has_bounds;
	execution->bounds = run->bounds;
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
	run->bounds = execution->has_bounds ? execution->bounds :
					      times->bounds_count;
	run->first = execution->has_bounds ? NULL : run->next;
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

/* Folds an edge into or between thunks, by enum block_passage: everything up to
 * their end is one call, as in execution_arrive(). Returns whether that is all that
 * happens.
 */
RUN_INLINE bool run_fold(struct execution *execution, struct run *run)
{
	struct thunk_fold *fold = &execution->fold;
	const struct block *from = run->from;
	bool is_call = from->exit == FLOW_EXIT_CALL;
	uint64_t return_address = from->ip + from->bytes;

	if (run->passage == PASSAGE_TO_THUNK && !fold->active)
		*fold = (struct thunk_fold){
			.active = true,
			.exit = FLOW_EXIT_CALL,
			.from = from->function,
			.return_address = return_address,
		};
	else if (run->passage != PASSAGE_IN_THUNK || !fold->active)
		return false;
	if (is_call)
		execution->return_address = return_address;
	return true;
}

/* Like run_fold(), but for the edge out of the thunks: emits the call. */
RUN_INLINE bool run_unfold(struct execution *execution, struct run *run)
{
	struct thunk_fold *fold = &execution->fold;

	if (run->passage != PASSAGE_FROM_THUNK || !fold->active ||
	    fold->exit != FLOW_EXIT_CALL || !run->block->is_entry)
		return false;
	fold->active = false;
	run_put(run, run->bounds, FUNCTION_CALL, fold->return_address);
	return true;
}

#endif
