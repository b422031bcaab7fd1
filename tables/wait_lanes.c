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
#include "tables/lanes.h"
#include "tables/text/table_rows.h"

#include <stdio.h>

enum { SECTOR_BYTES = 512 };

static const char *function_name(const struct wait_lanes *lanes,
				 uint32_t function)
{
	return function_at(symbols_functions(lanes->options.input->symbols),
			   function)
		->name;
}

static bool wants(const struct wait_lanes *lanes, const struct task *task,
		  uint64_t begin_ns, uint64_t end_ns)
{
	return end_ns - begin_ns >= lanes->options.min_ns &&
	       table_wants(lanes->options.input, task, begin_ns);
}

static void put(const struct wait_lanes *lanes, const struct lane *lane,
		const struct span *span, uint64_t end_ns)
{
	lanes->callback->begin(lanes->callback, lane, span);
	lanes->callback->end(lanes->callback, lane, end_ns);
}

static int consume_spin(struct spin_callback *callback,
			const struct spin_wait *wait)
{
	struct wait_lanes *lanes =
		container_of(callback, struct wait_lanes, spin);
	const struct lane lane = { .kind = SPAN_SPINS, .task = wait->task };
	const struct span_note notes[] = {
		{ .name = NOTE_FUNCTION,
		  .text = function_name(lanes, wait->function) },
		{ .name = NOTE_OWN_NS, .number = wait->own_ns },
		{ .name = NOTE_ENDED_BY,
		  .text = task_label_last(lanes->options.input->names,
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

	if (wants(lanes, wait->task, wait->begin_ns, wait->end_ns))
		put(lanes, &lane, &span, wait->end_ns);
	return 0;
}

static int consume_io(struct block_callback *callback,
		      const struct block_io *io)
{
	struct wait_lanes *lanes =
		container_of(callback, struct wait_lanes, block);

	if (!io->completed_ns ||
	    !wants(lanes, &io->task, io->queued_ns, io->completed_ns))
		return 0;
	return array_append(&lanes->ios, io);
}

static int ignore_sleep(struct block_callback *callback,
			const struct block_sleep *sleep)
{
	(void)callback;
	(void)sleep;
	return 0;
}

/* Emits @io, and the part of it when the device had it, on track @row. */
static void put_io(const struct wait_lanes *lanes, const struct block_io *io,
		   uint32_t row)
{
	const struct lane lane = { .kind = SPAN_BLOCK, .cpu = row };
	char name[BLOCK_LETTERS + 1] = "";
	const struct span_note notes[] = {
		{ .name = NOTE_FUNCTION,
		  .text = function_name(lanes, io->function) },
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
	lanes->callback->begin(lanes->callback, &lane, &span);
	if (io->issued_ns) {
		span.time_ns = io->issued_ns;
		span.name = "device";
		span.note_count = 0;
		put(lanes, &lane, &span, io->completed_ns);
	}
	lanes->callback->end(lanes->callback, &lane, io->completed_ns);
}

/* Emits each I/O on the first track that is free at its start. */
static int put_all(struct wait_lanes *lanes)
{
	const struct block_io *ios = lanes->ios.items;
	struct array free_from = ARRAY_OF(uint64_t); /* by track */
	int status = 0;

	array_sort_by(&lanes->ios, KEYS(RISING(struct block_io, queued_ns),
					RISING(struct block_io, range.sector)));
	for (size_t i = 0; i < lanes->ios.count && !status; i++) {
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
		put_io(lanes, &ios[i], row);
	}
	array_free(&free_from);
	return status;
}

static void put_call(const struct wait_lanes *lanes,
		     const struct read_call *call)
{
	const struct lane lane = { .kind = SPAN_READ_CALLS,
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

	/* The task of UINT32_MAX is not in the trace. */
	if (call->task.index != UINT32_MAX && call->end_ns && call->result &&
	    wants(lanes, &call->task, call->begin_ns, call->end_ns))
		put(lanes, &lane, &span, call->end_ns);
}

int wait_lanes_open(struct wait_lanes *lanes,
		    const struct lanes_options *options,
		    struct lane_callback *callback)
{
	*lanes = (struct wait_lanes){
		.block = { .done = consume_io, .slept = ignore_sleep },
		.spin = { .take = consume_spin },
		.options = *options,
		.callback = callback,
		.ios = ARRAY_OF(struct block_io),
	};
	lanes->blocks = block_tracker_new(options->input, &lanes->block);
	lanes->spins = spin_tracker_new(options->input, &lanes->spin);
	lanes->calls = read_calls_new(options->input);
	return lanes->blocks && lanes->spins && lanes->calls ? 0 :
							       -ERROR_MEMORY;
}

void wait_lanes_free(struct wait_lanes *lanes)
{
	block_tracker_free(lanes->blocks);
	spin_tracker_free(lanes->spins);
	read_calls_free(lanes->calls);
	array_free(&lanes->ios);
}

int wait_lanes_end(struct wait_lanes *lanes)
{
	struct array *calls;
	int status = block_tracker_end(lanes->blocks);
	int next = spin_tracker_status(lanes->spins);

	status = status ? status : next;
	next = put_all(lanes);
	status = status ? status : next;
	next = read_calls_end(lanes->calls, &calls);
	for (size_t i = 0; i < calls->count; i++)
		put_call(lanes, array_at(calls, i));
	return status ? status : next;
}
