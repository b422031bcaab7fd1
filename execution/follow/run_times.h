/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_RUN_TIMES_H
#define KT_EXECUTION_RUN_TIMES_H

#include "execution/follow/run.h"

/* The times of a run: like those of execution.h and event_times_know(), but for struct run.
 */

RUN_INLINE void run_know_unusual(struct event_times *times, struct run *run,
				 uint64_t known_ns)
{
	times->work = run->work;
	times->count = (size_t)(run->next - times->records);
	times->finished = (size_t)(run->finished - times->records);
	event_times_know(times, known_ns);
	run->work = 0;
	run->finished = run->next;
}

/* Like event_times_know(): the time is @known_ns now, so all records added so
 * far are finished.
 */
RUN_INLINE void run_know(struct event_times *times, struct run *run,
			 uint64_t known_ns)
{
	uint64_t span_ns = known_ns - times->known_ns;

	/* Also where span_ns is negative. */
	if (!times->known_ns || times->pace.is_across ||
	    span_ns > EVENT_TIMES_LONGEST_NS ||
	    run->work - 1 >= BLOCK_WORK_SLOW - 1) {
		run_know_unusual(times, run, known_ns);
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

	if (run->passage == PASSAGE_INSIDE)
		return;
	run_set_bounds(&execution->times, run);
	if (run->passage == PASSAGE_RETURN)
		run_put(run, run->bounds, FUNCTION_RETURN, ip);
	else if (run->passage == PASSAGE_CALL)
		run_put(run, run->bounds, FUNCTION_CALL,
			from->ip + from->bytes);
	else if (run->passage == PASSAGE_TAIL_CALL)
		run_put(run, run->bounds, FUNCTION_TAIL_CALL, ip);
	else if (!run_unfold(execution, run) && !run_fold(execution, run))
		run_arrive(execution, run, true);
	run->bounds += run->next != run->first;
	run->first = run->next;
	run->passage = PASSAGE_INSIDE;
}

/* Must be called before execution continues up to @branch, the next one. */
RUN_INLINE void run_expect(struct execution *execution, struct run *run,
			   const struct trace_branch *branch)
{
	run_arrive_there(execution, run);
	execution->next_high = branch->high;
	run->high_ns = moment_high_ns(execution, branch->high);
	run_set_bounds(&execution->times, run);
}

/* Like moment_pass(): @branch becomes the last branch. */
RUN_INLINE void run_pass(struct execution *execution, struct run *run,
			 const struct trace_branch *branch)
{
	struct moment *before = &execution->before;

	run->bounds += run->next != run->first;
	run->first = run->next;
	if (branch->is_exact) {
		before->low = branch->low;
		run->low_ns = moment_low_ns(execution, branch->low);
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
	known_ns = moment_low_ns(execution, branch->estimate);
	if (known_ns)
		run_know(&execution->times, run, known_ns);
}

#endif
