/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "common/log.h"
#include "decoder/coresight/coresight_code.h"
#include "decoder/coresight/coresight_items.h"
#include "decoder/coresight/coresight_session.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/switch_feed.h"
#include "decoder/recording/coresight_unit.h"

#include <stdlib.h>

/* The second engine for CoreSight: OpenCSD decodes, and emits elements. */
struct coresight {
	struct flow_source base;
	struct flow_input input;
	struct coresight_code code;
	struct flow_batch *batch;
	/* NULL: the trace reports the running task */
	struct switch_feed *switches;
	struct coresight_items items;
	struct coresight_session session;
	bool is_decoded; /* no bytes are left */
	bool at_end;
};

static void end_stream(struct coresight *source)
{
	uint64_t end = coresight_feed_position(&source->session.feed);

	source->is_decoded = true;
	if (!source->input.stream->cut)
		return;
	coresight_items_open_gap(&source->items, FLOW_GAP_CUT, end);
	coresight_items_close_gap(&source->items, end);
}

static int decode(struct coresight *source)
{
	const struct coresight_feed *feed = &source->session.feed;
	int error;

	if (source->is_decoded)
		return 0;
	error = coresight_session_decode(&source->session);
	if (error == -ERROR_UNSUPPORTED)
		log_message(source->input.log, LOG_ERROR,
			    recording_data_path(source->input.recording),
			    LOG_NO_OFFSET,
			    "OpenCSD does not take the trace unit's settings "
			    "of CPU %d",
			    feed->unit->cpu);
	if (!error && coresight_feed_is_done(feed))
		end_stream(source);
	return error ? error : source->items.error;
}

static void emit_end(struct coresight *source)
{
	bool has_stamps = source->items.clock.time ==
			  RECORDING_TIME_NANOSECONDS;
	uint64_t last_ns = flow_batch_last_ns(source->batch);
	struct flow_stamp *stamp;

	*flow_batch_next(source->batch, &stamp) =
		(struct flow_item){ .kind = FLOW_END };
	*stamp = (struct flow_stamp){
		.low_ns = has_stamps ? source->items.clock.after_block.low_ns :
				       last_ns,
		.high_ns = UINT64_MAX,
		.known_ns = last_ns,
	};
	flow_batch_add(source->batch);
	flow_batch_flush(source->batch);
	source->at_end = true;
}

/* Returns the end of the CPU's tracing, if the trace ended cleanly: the time of
 * the record of its last bytes, which may be later than the real end.
 */
static uint64_t trace_end(const struct coresight *source)
{
	uint64_t end_ns = source->input.stream->end_ns;
	uint64_t last_ns = flow_batch_last_ns(source->batch);

	/* Execution outside of chosen calls is part of the recording. */
	if (!source->session.elements.is_off || source->input.stream->cut ||
	    !end_ns || recording_is_gated(source->input.recording))
		return UINT64_MAX;
	return end_ns > last_ns ? end_ns : last_ns;
}

/* Inserts switches by time among the finished items. */
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
	struct coresight_queue *queue = &source->items.queue;
	bool is_drained;
	int error = 0;

	coresight_queue_drain(queue, source->batch, source->is_decoded);
	if (!coresight_queue_is_ready(queue, source->is_decoded))
		error = decode(source);
	is_drained = source->is_decoded && coresight_queue_is_empty(queue);
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

	coresight_feed_close(&source->session.feed);
	coresight_queue_free(&source->items.queue);
	task_ids_free(source->session.elements.context.tasks);
	switch_feed_free(source->switches);
	flow_batch_free(source->batch);
	coresight_code_close(&source->code);
	free(source);
}

/* The kernel's own records are the best source of the running task. They cannot
 * be used without times, nor if they do not contain the CPU (perf's per-task
 * records).
 */
static int set_up_tasks(struct coresight *source)
{
	const struct recording *recording = source->input.recording;
	struct task_ids **tasks = &source->session.elements.context.tasks;

	if (source->items.clock.time == RECORDING_TIME_NANOSECONDS) {
		source->switches =
			switch_feed_new(recording, source->input.stream);
		if (!source->switches)
			return -ERROR_MEMORY;
		if (switch_feed_peek(source->switches))
			return 0;
		switch_feed_free(source->switches);
		source->switches = NULL;
	}
	*tasks = task_ids_new(recording);
	return *tasks ? 0 : -ERROR_MEMORY;
}

static int set_up(struct coresight *source)
{
	const struct flow_input *input = &source->input;
	struct coresight_items *items = &source->items;
	struct coresight_session *session = &source->session;
	int error =
		coresight_code_open(&source->code, input, &session->feed.tree);

	if (error)
		return error;
	source->is_decoded = !input->stream->piece_count;
	source->batch = flow_batch_new(coresight_code_is_slow, &source->code);
	if (!source->batch)
		return -ERROR_MEMORY;
	items->queue = coresight_queue_new();
	items->clock = (struct coresight_clock){
		.time = recording_time(input->recording),
		.feed = &session->feed,
		.queue = &items->queue,
		.batch = source->batch,
	};
	coresight_clock_start(&items->clock);
	session->elements.items = items;
	session->elements.code = &source->code;
	coresight_session_begin(session, input->recording, input->stream);
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
