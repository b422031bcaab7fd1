/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_RUN_H
#define KT_EXECUTION_RUN_H

#include "execution/walk/moment.h"

/* What changes of an execution with each block, event and branch of a run: see
 * follow_run.h.  It stays in registers, as no function that is not inlined gets a
 * pointer to it, or a copy.
 */
struct run {
	const struct block *blocks;
	uint64_t work;		      /* as in the execution's times */
	union timed_record *next;     /* where the next record goes */
	union timed_record *first;    /* of those behind the last branch */
	union timed_record *finished; /* a time is known behind these */
	uint32_t bounds;	      /* of what runs behind the last branch */
	const struct block *from;     /* as in the execution */
	const struct block *block;    /* likewise, */
	enum block_edge edge;	      /* to which this led */
	uint8_t passage;	      /* as in the execution, but that it
				       * tells thunks apart */
	uint64_t low_ns;	      /* of the last branch */
	uint64_t high_ns;
};

#define RUN_INLINE __attribute__((always_inline)) static inline

/* Execution is behind a branch, and arrived where that led. */
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

/* Returns the number of @block. */
RUN_INLINE uint32_t run_index(const struct run *run, const struct block *block)
{
	return (uint32_t)(block - run->blocks);
}

/* @at_branch: nothing ran since the last branch. */
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

/* Control came to another function in a way that an edge alone does not tell. */
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

/* Adds the event that control comes to @run->block. */
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

/* Control goes through thunks, as by enum block_passage: what they stand for is
 * one call, as transfer.c has it.  Returns whether that is all that happens.
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

/* The same where control comes out of them. */
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
