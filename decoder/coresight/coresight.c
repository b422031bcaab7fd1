/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "common/log.h"
#include "decoder/code/code_space.h"
#include "decoder/coresight/coresight_parts.h"
#include "decoder/flow/switch_feed.h"
#include "decoder/flow/task_ids.h"

#include <stdlib.h>

static void end_stream(struct coresight *source)
{
	uint64_t end = coresight_feed_position(&source->feed);

	source->is_decoded = true;
	if (!source->input.stream->cut)
		return;
	coresight_open_gap(source, FLOW_GAP_CUT, end);
	coresight_close_gap(source, end);
}

static int decode(struct coresight *source)
{
	int error;

	if (source->is_decoded)
		return 0;
	error = coresight_feed_some(&source->feed);
	if (error == -ERROR_UNSUPPORTED)
		log_message(source->input.log, LOG_ERROR,
			    recording_data_path(source->input.recording),
			    LOG_NO_OFFSET,
			    "OpenCSD does not take the trace unit's settings "
			    "of CPU %d",
			    source->feed.unit->cpu);
	if (!error && coresight_feed_is_done(&source->feed))
		end_stream(source);
	return error ? error : source->error;
}

static void add(struct coresight *source, const struct coresight_entry *entry)
{
	struct flow_stamp *stamp;

	*flow_batch_next(source->batch, &stamp) = entry->item;
	*stamp = entry->stamp;
	flow_batch_add(source->batch);
}

/* All but the last entry, which what comes may change. */
static size_t finished_entries(const struct coresight *source)
{
	size_t count = source->entries.count;

	if (source->is_decoded || !count)
		return count;
	return source->resolved < count ? source->resolved : count - 1;
}

static size_t less(size_t count, size_t done)
{
	return count > done ? count - done : 0;
}

static void drain(struct coresight *source)
{
	struct coresight_entry *entries = source->entries.items;
	size_t count = source->entries.count;
	size_t finished = finished_entries(source);
	size_t done = 0;

	while (done < finished && flow_batch_has_room(source->batch)) {
		add(source, &entries[done]);
		done++;
	}
	for (size_t i = done; i < count; i++)
		entries[i - done] = entries[i];
	source->entries.count -= done;
	source->resolved = less(source->resolved, done);
	source->bounded = less(source->bounded, done);
}

static void emit_end(struct coresight *source)
{
	bool has_stamps = source->time == RECORDING_TIME_NANOSECONDS;
	const struct coresight_entry end = {
		.item.kind = FLOW_END,
		.stamp.low_ns = has_stamps ? source->after_block.low_ns :
					     flow_batch_last_ns(source->batch),
		.stamp.high_ns = UINT64_MAX,
		.stamp.known_ns = flow_batch_last_ns(source->batch),
	};

	add(source, &end);
	flow_batch_flush(source->batch);
	source->at_end = true;
}

/* When the CPU was traced no more, if the trace says that it ended: the record
 * of its last bytes came then, or later.
 */
static uint64_t trace_end(const struct coresight *source)
{
	uint64_t end_ns = source->input.stream->end_ns;
	uint64_t last_ns = flow_batch_last_ns(source->batch);

	/* Who runs while nothing was asked for is part of the recording. */
	if (!source->is_off || source->input.stream->cut || !end_ns ||
	    recording_is_gated(source->input.recording))
		return UINT64_MAX;
	return end_ns > last_ns ? end_ns : last_ns;
}

/* Switches go among the finished items of their time. */
static int add_switches(struct coresight *source, bool is_drained)
{
	int status = 1;

	if (source->switches)
		status = switch_feed_merge(
			source->switches, source->batch, is_drained,
			is_drained ? trace_end(source) : UINT64_MAX);
	if (status == 1 && is_drained)
		emit_end(source);
	return status < 0 ? status : 0;
}

static int work(struct coresight *source)
{
	bool is_drained;
	int error = 0;

	drain(source);
	if (!finished_entries(source))
		error = decode(source);
	is_drained = source->is_decoded && !source->entries.count;
	if (is_drained || !flow_batch_has_room(source->batch))
		flow_batch_flush(source->batch);
	return error ? error : add_switches(source, is_drained);
}

static int coresight_next(struct flow_source *base,
			  const struct flow_item **items)
{
	struct coresight *source = (struct coresight *)base;

	while (!flow_batch_finished(source->batch)) {
		int error;

		if (source->at_end)
			return 0;
		error = work(source);
		if (error)
			return error;
	}
	return (int)flow_batch_take(source->batch, items);
}

static const struct flow_item *
coresight_next_switch(const struct flow_source *base)
{
	const struct coresight *source = (const struct coresight *)base;

	return source->switches ? switch_feed_peek(source->switches) : NULL;
}

static void coresight_close(struct flow_source *base)
{
	struct coresight *source = (struct coresight *)base;

	coresight_feed_close(&source->feed);
	array_free(&source->entries);
	task_ids_free(source->tasks);
	switch_feed_free(source->switches);
	flow_batch_free(source->batch);
	code_space_close(source->code);
	free(source);
}

/* The kernel's own records say best who runs.  Without times they cannot be
 * placed, nor if they do not say on which CPU: perf's of tasks.
 */
static int set_up_tasks(struct coresight *source)
{
	const struct recording *recording = source->input.recording;

	if (source->time == RECORDING_TIME_NANOSECONDS) {
		source->switches =
			switch_feed_new(recording, source->input.stream);
		if (!source->switches)
			return -ERROR_MEMORY;
		if (switch_feed_peek(source->switches))
			return 0;
		switch_feed_free(source->switches);
		source->switches = NULL;
	}
	source->tasks = task_ids_new(recording);
	return source->tasks ? 0 : -ERROR_MEMORY;
}

static int set_up(struct coresight *source)
{
	const struct flow_input *input = &source->input;
	int error = code_space_open(input, 0, CODE_VIEW_MEMORY, &source->code);

	if (error)
		return error;
	source->entries = ARRAY_OF(struct coresight_entry);
	source->time = recording_time(input->recording);
	source->next_change_ns = code_space_next_change_ns(source->code);
	source->instructions = 1;
	source->task = -1;
	source->is_decoded = !input->stream->piece_count;
	source->feed = (struct coresight_feed){
		.recording = input->recording,
		.stream = input->stream,
		.depth = CORESIGHT_EXECUTION,
		.events = &coresight_feed_events,
		.ctx = source,
	};
	source->batch = flow_batch_new(coresight_is_slow, source);
	if (!source->batch)
		return -ERROR_MEMORY;
	if (source->time == RECORDING_TIME_CYCLES)
		coresight_start_cycles(source);
	return set_up_tasks(source);
}

static int coresight_open(const struct flow_input *input,
			  struct flow_source **opened)
{
	struct coresight *source = calloc(1, sizeof(*source));
	int error;

	if (!source)
		return -ERROR_MEMORY;
	source->base.ops = &coresight_source;
	source->input = *input;
	error = set_up(source);
	if (error) {
		coresight_close(&source->base);
		return error;
	}
	*opened = &source->base;
	return 0;
}

const struct flow_source_ops coresight_source = {
	.name = "coresight",
	.open = coresight_open,
	.next = coresight_next,
	.next_switch = coresight_next_switch,
	.close = coresight_close,
};
