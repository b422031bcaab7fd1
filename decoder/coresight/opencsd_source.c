/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "common/log.h"
#include "decoder/coresight/elements_internal.h"
#include "decoder/coresight/feed_internal.h"
#include "decoder/coresight/items_internal.h"
#include "decoder/coresight/tree_internal.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/switch_feed.h"
#include "decoder/recording/coresight_streams.h"

#include <stdlib.h>

/* Decodes a stream with OpenCSD session by session; a session is the trace that
 * a unit wrote from start to stop. OpenCSD calls back for every element that it
 * finds.
 */
struct coresight_session {
	struct coresight_feed feed;
	struct coresight_elements elements;
	bool is_waiting;    /* for the first elements of a session */
	uint64_t whole_end; /* ETMv3: end of the last whole packet */
};

/* Returns whether the element at @index is from the incomplete last packet of
 * an ETMv3, which OpenCSD decodes as a whole one.
 */
static bool is_of_half_packet(const struct coresight_session *session,
			      uint64_t index)
{
	return session->feed.is_ending &&
	       session->feed.unit->protocol == CORESIGHT_ETMV3 &&
	       index >= session->whole_end;
}

static void note_packet(const void *ctx, const ocsd_datapath_op_t op,
			const ocsd_trc_index_t index, const void *packet,
			const uint32_t size, const uint8_t *bytes)
{
	struct coresight_session *session =
		(struct coresight_session *)(uintptr_t)ctx;

	(void)packet;
	(void)bytes;
	if (op == OCSD_OP_DATA && !session->feed.is_ending)
		session->whole_end = index + size;
}

static ocsd_err_t watch_packets(struct coresight_session *session)
{
	if (session->feed.unit->protocol != CORESIGHT_ETMV3)
		return OCSD_OK;
	return ocsd_dt_attach_packet_callback(
		session->feed.tree.handle, session->feed.tree.trace_id,
		OCSD_C_API_CB_PKT_MON, (void *)(uintptr_t)note_packet, session);
}

/* Starts a gap for the trace that OpenCSD skips before a synchronization
 * packet. Starts none if the first element, at @index, follows the packet
 * within BYTES.
 */
static void check_wait(struct coresight_session *session, uint64_t index)
{
	enum { BYTES = 32 };

	if (!session->is_waiting)
		return;
	session->is_waiting = false;
	if (coresight_feed_since_sync(&session->feed, index) > BYTES &&
	    !session->elements.items->gap.is_open)
		coresight_items_open_gap(session->elements.items,
					 FLOW_GAP_UNSYNCED,
					 session->feed.session_start);
}

static ocsd_datapath_resp_t
consume_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
		const ocsd_generic_trace_elem *element)
{
	struct coresight_session *session =
		(struct coresight_session *)(uintptr_t)ctx;

	(void)id;
	if (is_of_half_packet(session, index))
		return OCSD_RESP_CONT;
	if (element->elem_type != OCSD_GEN_TRC_ELEM_NO_SYNC)
		check_wait(session, index);
	coresight_elements_consume(
		&session->elements,
		coresight_feed_position_at(&session->feed, index), element);
	session->feed.is_new = false;
	if (session->elements.is_rejected)
		coresight_feed_reject(&session->feed, index);
	return session->elements.items->error || session->elements.is_rejected ?
		       OCSD_RESP_FATAL_INVALID_DATA :
		       OCSD_RESP_CONT;
}

static int attach(void *ctx)
{
	struct coresight_session *session = ctx;
	int error = coresight_memory_attach(&session->feed.tree,
					    session->elements.code->space);

	if (error)
		return error;
	error = coresight_tree_on_element(&session->feed.tree, consume_element,
					  session);
	if (error)
		return error;
	return watch_packets(session) == OCSD_OK ? 0 : -ERROR_MEMORY;
}

static void begin_session(void *ctx)
{
	struct coresight_session *session = ctx;

	session->is_waiting = true;
	coresight_elements_begin(&session->elements);
}

static void end_session(void *ctx, bool is_lost)
{
	struct coresight_session *session = ctx;

	check_wait(session, session->feed.call_index);
	coresight_elements_end(&session->elements, is_lost);
}

static void skip(void *ctx, uint64_t position)
{
	struct coresight_session *session = ctx;

	if (!session->elements.items->gap.is_open)
		coresight_items_open_gap(session->elements.items,
					 FLOW_GAP_UNSYNCED, position);
}

static void fail(void *ctx, uint64_t position)
{
	struct coresight_session *session = ctx;

	session->elements.is_rejected = false;
	coresight_items_open_gap(session->elements.items, FLOW_GAP_BAD_TRACE,
				 position);
}

/* Initializes @session, whose elements' items and code are set, before the
 * first byte of @stream. Close it with coresight_feed_close().
 */
static void session_begin(struct coresight_session *session,
			  const struct recording *recording,
			  const struct aux_stream *stream)
{
	static const struct coresight_feed_events events = {
		.attach = attach,
		.begin = begin_session,
		.end = end_session,
		.skip = skip,
		.fail = fail,
	};

	session->feed = (struct coresight_feed){
		.recording = recording,
		.stream = stream,
		.depth = CORESIGHT_EXECUTION,
		.events = &events,
		.ctx = session,
	};
	session->elements.feed = &session->feed;
	session->elements.context.task = -1;
}

/* Decodes the next few thousand bytes; must not be called at the end. Returns 0
 * or a negative enum error.
 */
static int session_decode(struct coresight_session *session)
{
	int error = coresight_feed_some(&session->feed);

	return error ? error : session->elements.items->error;
}

/* The flow source that decodes CoreSight with OpenCSD, independently of
 * branches.c and execution/.
 */
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
	error = session_decode(&source->session);
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

/* Emits the gap of a stream without trace. Returns its end. */
static uint64_t emit_untraced(struct coresight *source)
{
	const struct aux_stream *stream = source->input.stream;
	struct flow_stamp *stamp;

	*flow_batch_next(source->batch, &stamp) =
		(struct flow_item){ .kind = FLOW_GAP, .detail = FLOW_GAP_LOST };
	*stamp = (struct flow_stamp){
		.low_ns = stream->untraced_from_ns,
		.high_ns = stream->untraced_from_ns,
		.known_ns = stream->untraced_from_ns,
	};
	flow_batch_add(source->batch);
	return stream->untraced_until_ns;
}

static void emit_end(struct coresight *source)
{
	bool has_stamps = source->items.clock.time ==
			  RECORDING_TIME_NANOSECONDS;
	uint64_t last_ns = source->input.stream->untraced_from_ns ?
				   emit_untraced(source) :
				   flow_batch_last_ns(source->batch);
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

/* Returns the time when tracing of the CPU ended: that of the record of its
 * last bytes, which may be later than the real end. Returns UINT64_MAX if the
 * trace did not end cleanly.
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
	return (int)flow_batch_consume(source->batch, items);
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

/* Decides where the running task is known from: the kernel's switch records, or
 * else the trace. The records cannot be used in a trace without times, nor if
 * they do not contain the CPU (perf's per-task records).
 *
 * Returns 0 or -ERROR_MEMORY.
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
	session_begin(session, input->recording, input->stream);
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
