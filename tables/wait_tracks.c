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

/* The tracks of waits without sleep, I/O and calls with arguments
 * (side_tracks.h).
 */
enum { SECTOR_BYTES = 512 };

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
		{ .name = NOTE_ON_PID,
		  .number = io->task.pid > 0 ? (uint64_t)io->task.pid : 0 },
		{ .name = NOTE_ON_TID,
		  .number = io->task.tid > 0 ? (uint64_t)io->task.tid : 0 },
		{ .name = NOTE_SECTOR, .number = io->range.sector },
		{ .name = NOTE_BYTES,
		  .number = io->range.sectors * SECTOR_BYTES },
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

		while (row<free_from.count &&*(uint64_t *)array_at(&free_from,
								   row)>
			       ios[i]
				       .queued_ns)
			row++;
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

int wait_tracks_open(struct wait_tracks *tracks,
		     const struct side_tracks_options *options,
		     struct track_callback *callback)
{
	*tracks = (struct wait_tracks){
		.block = { .done = consume_io, .slept = ignore_sleep },
		.spin = { .consume = consume_spin },
		.options = *options,
		.callback = callback,
		.ios = ARRAY_OF(struct block_io),
	};
	tracks->blocks = block_tracker_new(options->input, &tracks->block);
	tracks->spins = spin_tracker_new(options->input, &tracks->spin);
	tracks->calls = read_calls_new(options->input);
	return tracks->blocks && tracks->spins && tracks->calls ? 0 :
								  -ERROR_MEMORY;
}

void wait_tracks_free(struct wait_tracks *tracks)
{
	block_tracker_free(tracks->blocks);
	spin_tracker_free(tracks->spins);
	read_calls_free(tracks->calls);
	array_free(&tracks->ios);
}

int wait_tracks_end(struct wait_tracks *tracks)
{
	struct array *calls;
	int status = block_tracker_end(tracks->blocks);
	int next = spin_tracker_status(tracks->spins);

	status = status ? status : next;
	next = put_all(tracks);
	status = status ? status : next;
	next = read_calls_end(tracks->calls, &calls);
	for (size_t i = 0; i < calls->count; i++)
		put_call(tracks, array_at(calls, i));
	return status ? status : next;
}
