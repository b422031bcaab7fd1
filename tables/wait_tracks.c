/* SPDX-License-Identifier: MIT */

#include "attribution/attribution_input.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/text/task_names.h"
#include "report/timeline/span_export.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/calls/read_calls.h"
#include "tables/side_tracks.h"
#include "tables/text/table_rows.h"

#include <stdio.h>

/* The tracks of waits without sleep, I/O, calls with arguments, and intervals
 * without interrupts or preemption (side_tracks.h).
 */

static const char *function_name(const struct wait_tracks *tracks,
				 uint32_t function)
{
	return function_at(symbols_functions(tracks->options.input->symbols),
			   function)
		->name;
}

static bool wants(const struct wait_tracks *tracks, const struct task *task,
		  uint64_t begin_ns, uint64_t end_ns)
{
	return end_ns - begin_ns >= tracks->options.min_ns &&
	       table_wants(tracks->options.input, task, begin_ns);
}

static void put(const struct wait_tracks *tracks,
		const struct side_track *track, const struct span *span,
		uint64_t end_ns)
{
	tracks->callback->begin(tracks->callback, track, span);
	tracks->callback->end(tracks->callback, track, end_ns);
}

static int consume_spin(struct spin_callback *callback,
			const struct spin_wait *wait)
{
	struct wait_tracks *tracks =
		container_of(callback, struct wait_tracks, spin);
	const struct side_track track = { .kind = SPAN_SPINS,
					  .task = wait->task };
	const struct span_note notes[] = {
		{ .name = NOTE_FUNCTION,
		  .text = function_name(tracks, wait->function) },
		{ .name = NOTE_OWN_NS, .number = wait->own_ns },
		{ .name = NOTE_ENDED_BY,
		  .text = task_label_last(tracks->options.input->names,
					  wait->end_tid)
				  .text },
	};
	const struct span span = {
		.time_ns = wait->begin_ns,
		.number = SPAN_NUMBER_NONE,
		.name = spin_kind_name(wait->kind),
		.category = "spin",
		.notes = notes,
		.note_count = wait->end_tid < 0 ? 2 : 3,
	};

	if (wants(tracks, wait->task, wait->begin_ns, wait->end_ns))
		put(tracks, &track, &span, wait->end_ns);
	return 0;
}

static int consume_io(struct block_callback *callback,
		      const struct block_io *io)
{
	struct wait_tracks *tracks =
		container_of(callback, struct wait_tracks, block);

	if (!io->completed_ns ||
	    !wants(tracks, &io->task, io->queued_ns, io->completed_ns))
		return 0;
	return array_append(&tracks->ios, io);
}

static int ignore_sleep(struct block_callback *callback,
			const struct block_sleep *sleep)
{
	(void)callback;
	(void)sleep;
	return 0;
}

/* Emits the span of @io on track @row, and in it the span from its issue to the
 * device until its completion.
 */
static void put_io(const struct wait_tracks *tracks, const struct block_io *io,
		   uint32_t row)
{
	const struct side_track track = { .kind = SPAN_BLOCK, .cpu = row };
	char name[BLOCK_LETTERS + 1] = "";
	const struct span_note notes[] = {
		{ .name = NOTE_FUNCTION,
		  .text = function_name(tracks, io->function) },
		{ .name = NOTE_ON_PID, .number = span_note_id(io->task.pid) },
		{ .name = NOTE_ON_TID, .number = span_note_id(io->task.tid) },
		{ .name = NOTE_SECTOR, .number = io->range.sector },
		{ .name = NOTE_BYTES, .number = block_range_bytes(&io->range) },
	};
	struct span span = {
		.time_ns = io->queued_ns,
		.number = SPAN_NUMBER_NONE,
		.name = name,
		.category = "block",
		.notes = notes,
		.note_count = sizeof(notes) / sizeof(*notes),
	};

	snprintf(name, sizeof(name), "%.*s", BLOCK_LETTERS, io->letters);
	tracks->callback->begin(tracks->callback, &track, &span);
	if (io->issued_ns) {
		span.time_ns = io->issued_ns;
		span.name = "device";
		span.note_count = 0;
		put(tracks, &track, &span, io->completed_ns);
	}
	tracks->callback->end(tracks->callback, &track, io->completed_ns);
}

/* Emits each I/O on the first track that is free at its start. */
static int put_all(struct wait_tracks *tracks)
{
	const struct block_io *ios = tracks->ios.items;
	struct array free_from = ARRAY_OF(uint64_t); /* by track */
	int status = 0;

	array_sort_by(&tracks->ios,
		      KEYS(RISING(struct block_io, queued_ns),
			   RISING(struct block_io, range.sector)));
	for (size_t i = 0; i < tracks->ios.count && !status; i++) {
		uint32_t row = 0;
		uint64_t *from;

		while (row < free_from.count) {
			from = array_at(&free_from, row);
			if (*from <= ios[i].queued_ns)
				break;
			row++;
		}
		from = array_reach(&free_from, row);
		if (from)
			*from = ios[i].completed_ns;
		else
			status = -ERROR_MEMORY;
		put_io(tracks, &ios[i], row);
	}
	array_free(&free_from);
	return status;
}

static void put_call(const struct wait_tracks *tracks,
		     const struct read_call *call)
{
	const struct side_track track = { .kind = SPAN_READ_CALLS,
					  .task = &call->task };
	const struct span_note notes[] = {
		{ .name = NOTE_ARGUMENTS, .text = call->arguments },
		{ .name = NOTE_RESULT, .text = call->result },
	};
	const struct span span = {
		.time_ns = call->begin_ns,
		.number = call->function,
		.category = "arguments",
		.notes = notes,
		.note_count = sizeof(notes) / sizeof(*notes),
	};

	/* An index of UINT32_MAX: the task is not in the trace. */
	if (call->task.index != UINT32_MAX && call->end_ns && call->result &&
	    wants(tracks, &call->task, call->begin_ns, call->end_ns))
		put(tracks, &track, &span, call->end_ns);
}

/* Returns what waited longest for the end of @interval: an interrupt's handler,
 * or a thread; NULL: nothing.
 */
static const char *delayed(const struct wait_tracks *tracks,
			   const struct off_interval *interval,
			   struct task_label *label)
{
	const struct off_delay *most = interval->delays;

	for (uint32_t i = 1; i < interval->delay_count; i++)
		if (interval->delays[i].ns > most->ns)
			most = &interval->delays[i];
	if (!interval->delay_count)
		return NULL;
	if (most->tid < 0)
		return function_name(tracks, most->handler);
	*label = task_label_last(tracks->options.input->names, most->tid);
	return label->text;
}

static int put_interval(const struct wait_tracks *tracks,
			enum span_track_kind kind,
			const struct off_interval *interval)
{
	const struct side_track track = { .kind = kind, .cpu = interval->cpu };
	struct task_label label;
	const char *waited = delayed(tracks, interval, &label);
	const struct span_note notes[] = {
		{ .name = NOTE_KIND,
		  .text = off_kind_name((enum off_kind)interval->kind) },
		{ .name = NOTE_ON_PID,
		  .number = span_note_id(interval->task->pid) },
		{ .name = NOTE_ON_TID,
		  .number = span_note_id(interval->task->tid) },
		{ .name = NOTE_UNCERTAIN_NS, .number = interval->uncertain_ns },
		{ .name = NOTE_DELAYED, .text = waited },
	};
	const struct span span = {
		.time_ns = interval->begin_ns,
		.number = interval->count ? interval->path[0] :
					    SPAN_NUMBER_NONE,
		.name = interval->count ? NULL : "[unseen]",
		.category = "off",
		.notes = notes,
		.note_count = waited ? 5 : 4,
	};

	if (wants(tracks, interval->task, interval->begin_ns, interval->end_ns))
		put(tracks, &track, &span, interval->end_ns);
	return 0;
}

static int consume_interrupts_off(struct off_callback *callback,
				  const struct off_interval *interval)
{
	return put_interval(container_of(callback, struct wait_tracks,
					 interrupts_off),
			    SPAN_CPU_INTERRUPTS_OFF, interval);
}

static int consume_preemption_off(struct off_callback *callback,
				  const struct off_interval *interval)
{
	return put_interval(container_of(callback, struct wait_tracks,
					 preemption_off),
			    SPAN_CPU_PREEMPTION_OFF, interval);
}

int wait_tracks_open(struct wait_tracks *tracks,
		     const struct side_tracks_options *options,
		     struct track_callback *callback)
{
	*tracks = (struct wait_tracks){
		.block = { .done = consume_io, .slept = ignore_sleep },
		.spin = { .consume = consume_spin },
		.interrupts_off = { .consume = consume_interrupts_off },
		.preemption_off = { .consume = consume_preemption_off },
		.options = *options,
		.callback = callback,
		.ios = ARRAY_OF(struct block_io),
	};
	tracks->blocks = block_tracker_new(options->input, &tracks->block);
	tracks->spins = spin_tracker_new(options->input, &tracks->spin);
	tracks->calls = read_calls_new(options->input);
	tracks->offs[0] = interrupts_off_tracker_new(options->input,
						     &tracks->interrupts_off);
	tracks->offs[1] = preemption_off_tracker_new(options->input,
						     &tracks->preemption_off);
	return tracks->blocks && tracks->spins && tracks->calls &&
			       tracks->offs[0] && tracks->offs[1] ?
		       0 :
		       -ERROR_MEMORY;
}

void wait_tracks_free(struct wait_tracks *tracks)
{
	block_tracker_free(tracks->blocks);
	spin_tracker_free(tracks->spins);
	read_calls_free(tracks->calls);
	off_tracker_free(tracks->offs[0]);
	off_tracker_free(tracks->offs[1]);
	array_free(&tracks->ios);
}

int wait_tracks_end(struct wait_tracks *tracks)
{
	struct array *calls;
	int status = block_tracker_end(tracks->blocks, true);
	int next = spin_tracker_end(tracks->spins);

	status = status ? status : next;
	next = put_all(tracks);
	status = status ? status : next;
	next = read_calls_end(tracks->calls, &calls);
	for (size_t i = 0; i < calls->count; i++)
		put_call(tracks, array_at(calls, i));
	status = status ? status : next;
	for (int i = 0; i < 2; i++) {
		next = off_tracker_end(tracks->offs[i]);
		status = status ? status : next;
	}
	return status;
}
