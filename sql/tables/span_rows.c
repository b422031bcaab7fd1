/* SPDX-License-Identifier: MIT */
#include "attribution/time/on_cpu.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/trackers.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/task_pack.h"
#include "report/text/task_names.h"
#include "sql/tables/fault_rows.h"
#include "sql/tables/row_source.h"
#include "sql/tables/state_columns.h"
#include "tables/table.h"

#include <stddef.h>
#include <stdlib.h>

/* Each thread's time as spans of one class, and the rows made from them. */
struct span_rows {
	struct row_source source;
	struct span_callback callback;
	const struct attribution_input *input;
	const struct row_choice *choice;
	struct task_time *time; /* borrowed */
	struct row_out *states; /* or NULL */
	struct state_columns columns;
	struct fault_rows faults; /* out may be NULL */
	struct array pending;	  /* struct array of struct state_fact,
					 * by task index */
	int status;
};

static struct array *pending_of(struct span_rows *rows, uint32_t index)
{
	struct array *pending = array_reach(&rows->pending, index);

	if (!pending)
		rows->status = -ERROR_MEMORY;
	else if (!pending->item_size)
		*pending = ARRAY_OF(struct state_fact);
	return pending;
}

/* Emits the spans that waited for the thread's class to become known. */
static void resolve(struct span_rows *rows, struct array *pending,
		    uint8_t time_class)
{
	for (size_t i = 0; i < pending->count; i++) {
		struct state_fact *fact = array_at(pending, i);

		if (fact->is_provisional)
			fact->time_class = time_class;
		state_columns_add(&rows->columns, rows->states, fact);
	}
	pending->count = 0;
}

static void take_state(struct span_rows *rows, const struct time_span *span)
{
	struct state_fact fact = state_fact_of(span);
	struct array *pending = pending_of(rows, span->task->index);

	if (!pending)
		return;
	if (!span->is_provisional && span->time_class < TIME_RUNNABLE &&
	    pending->count)
		resolve(rows, pending, on_cpu_resolved_class(span));
	if (!fact.is_provisional && !pending->count) {
		state_columns_add(&rows->columns, rows->states, &fact);
		return;
	}
	if (array_append(pending, &fact) < 0)
		rows->status = -ERROR_MEMORY;
}

static void take_span(struct span_callback *callback,
		      const struct time_span *span)
{
	struct span_rows *rows =
		container_of(callback, struct span_rows, callback);

	if (rows->states)
		take_state(rows, span);
	if (rows->faults.out)
		fault_rows_take(&rows->faults, span);
}

static bool is_done(const struct row_source *source, uint64_t time_ns)
{
	const struct span_rows *rows = (const struct span_rows *)source;

	return time_ns >= rows->choice->end.until_ns &&
	       !task_time_is_due(rows->time, rows->choice->end.until_ns);
}

/* Emits all provisional spans with their provisional class. */
static void resolve_all(struct span_rows *rows)
{
	for (size_t i = 0; i < rows->pending.count; i++)
		resolve(rows, array_at(&rows->pending, i), TIME_KERNEL);
}

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct span_rows *rows = (struct span_rows *)source;
	int status = 0;

	(void)stacks;
	if (!is_early && rows->faults.out)
		fault_rows_end(&rows->faults);
	resolve_all(rows);
	if (rows->states)
		status = row_out_flush(rows->states);
	if (!status && rows->faults.out)
		status = row_out_flush(rows->faults.out);
	if (!status)
		status = rows->faults.status;
	return status ? status : rows->status;
}

/* Waiting states are from before a window that starts here, but later states of
 * the same thread wait as well: one state without time stands for all.
 */
static void pack_pending(struct span_rows *rows, uint32_t index,
			 const struct task_pack *tasks)
{
	struct array *pending = pending_of(rows, index);
	struct state_fact none = { .waker_tid = -1 };
	struct state_fact *waiting;
	bool waits = pending && pending->count;

	pack_bool(tasks->pack, &waits);
	if (!tasks->pack->is_reading || !waits)
		return;
	none.task = tasks->find(tasks->tasks, index);
	waiting = pending ? array_add(pending) : NULL;
	pack_check(tasks->pack, none.task && waiting);
	if (waiting)
		*waiting = none;
}

static void free_pending(struct span_rows *rows)
{
	for (size_t i = 0; i < rows->pending.count; i++)
		array_free((struct array *)array_at(&rows->pending, i));
	array_free(&rows->pending);
}

static void renew(struct span_rows *rows)
{
	const struct off_cpu_evidence evidence = off_cpu_evidence_of(
		rows->input->recording, rows->input->events);

	if (task_time_renew(rows->time, &evidence) < 0)
		rows->status = -ERROR_MEMORY;
	free_pending(rows);
}

static void pack_rows(struct row_source *source, const struct task_pack *tasks)
{
	struct span_rows *rows = (struct span_rows *)source;
	uint32_t count = (uint32_t)rows->pending.count;
	struct pack *pack = tasks->pack;

	task_time_pack(rows->time, tasks);
	pack_u32(pack, &count);
	task_pack_check(tasks, count);
	for (uint32_t i = 0; i < count && !pack->failed; i++)
		pack_pending(rows, i, tasks);
	if (pack->is_reading && !pack_is_whole(pack))
		renew(rows);
}

static void close_rows(struct row_source *source)
{
	struct span_rows *rows = (struct span_rows *)source;

	free_pending(rows);
	fault_rows_free(&rows->faults);
	state_columns_free(&rows->columns);
	free(rows);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	struct thread_tracker *threads =
		trackers_threads(input->recording->trackers);
	struct span_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->source = (struct row_source){
		.needs_begin = input->outs[TABLE_FAULT],
		.pack = pack_rows,
		.is_done = is_done,
		.end = end,
		.close = close_rows,
	};
	rows->callback.take = take_span;
	rows->input = input->recording;
	rows->choice = input->choice;
	rows->states = input->outs[TABLE_THREAD_STATE];
	rows->columns = state_columns_of(input->recording);
	rows->faults =
		fault_rows_of(input->recording, input->outs[TABLE_FAULT]);
	rows->pending = ARRAY_OF(struct array);
	rows->time = thread_tracker_time(threads);
	if (rows->time && !thread_tracker_hand_spans(threads, &rows->callback,
						     input->recording->window))
		return &rows->source;
	close_rows(&rows->source);
	return NULL;
}

const struct row_source_class span_source = {
	.needs_time = true,
	.open = open_rows,
};
