/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "common/log.h"
#include "decoder/coresight/coresight_code.h"
#include "decoder/coresight/coresight_exit.h"
#include "decoder/coresight/coresight_parts.h"
#include "decoder/flow/switch_feed.h"
#include "decoder/flow/switch_merge.h"
#include "decoder/flow/task_ids.h"
#include "decoder/recording/recording_parts.h"

#include <stdlib.h>

/* OpenCSD takes what is there of an ETMv3's last packet for a whole one. */
static bool is_of_half_packet(const struct coresight *source, uint64_t index)
{
	return source->feed.is_ending &&
	       source->feed.unit->protocol == CORESIGHT_ETMV3 &&
	       index >= source->whole_end;
}

static void note_packet(const void *ctx, const ocsd_datapath_op_t op,
			const ocsd_trc_index_t index, const void *packet,
			const uint32_t size, const uint8_t *bytes)
{
	struct coresight *source = (struct coresight *)(uintptr_t)ctx;

	(void)packet;
	(void)bytes;
	if (op == OCSD_OP_DATA && !source->feed.is_ending)
		source->whole_end = index + size;
}

static ocsd_err_t watch_packets(struct coresight *source)
{
	if (source->feed.unit->protocol != CORESIGHT_ETMV3)
		return OCSD_OK;
	return ocsd_dt_attach_packet_callback(
		source->feed.tree.handle, source->feed.tree.trace_id,
		OCSD_C_API_CB_PKT_MON, (void *)(uintptr_t)note_packet, source);
}

/* Behind a synchronisation packet a few bytes tell where the CPU is.  OpenCSD
 * passes over everything until it sees them.
 */
static void check_wait(struct coresight *source, uint64_t index)
{
	enum { BYTES = 32 };

	if (!source->is_waiting)
		return;
	source->is_waiting = false;
	if (coresight_feed_since_sync(&source->feed, index) > BYTES &&
	    !source->gap.is_open)
		coresight_open_gap(source, FLOW_GAP_UNSYNCED,
				   source->feed.session_start);
}

static ocsd_datapath_resp_t take_element(const void *ctx,
					 const ocsd_trc_index_t index,
					 const uint8_t id,
					 const ocsd_generic_trace_elem *element)
{
	struct coresight *source = (struct coresight *)(uintptr_t)ctx;

	(void)id;
	if (is_of_half_packet(source, index))
		return OCSD_RESP_CONT;
	if (element->elem_type != OCSD_GEN_TRC_ELEM_NO_SYNC)
		check_wait(source, index);
	coresight_take(source, coresight_feed_place(&source->feed, index),
		       element);
	source->feed.is_new = false;
	if (source->is_rejected)
		coresight_feed_reject(&source->feed, index);
	return source->error || source->is_rejected ?
		       OCSD_RESP_FATAL_INVALID_DATA :
		       OCSD_RESP_CONT;
}

static int attach(void *ctx)
{
	struct coresight *source = ctx;
	int error = coresight_attach_code(source);

	if (error)
		return error;
	return ocsd_dt_set_gen_elem_outfn(source->feed.tree.handle,
					  take_element, source) == OCSD_OK &&
			       watch_packets(source) == OCSD_OK ?
		       0 :
		       -ERROR_MEMORY;
}

static void begin_session(void *ctx)
{
	struct coresight *source = ctx;

	source->is_running = false;
	source->must_start = false;
	source->is_waiting = true;
}

static void end_session(void *ctx, bool is_lost)
{
	struct coresight *source = ctx;

	check_wait(source, source->feed.call_index);
	coresight_end_session(source, is_lost);
}

static void skip(void *ctx, uint64_t position)
{
	struct coresight *source = ctx;

	if (!source->gap.is_open)
		coresight_open_gap(source, FLOW_GAP_UNSYNCED, position);
}

static void fail(void *ctx, uint64_t position)
{
	struct coresight *source = ctx;

	source->is_rejected = false;
	coresight_open_gap(source, FLOW_GAP_BAD_TRACE, position);
}

static const struct coresight_feed_events feed_events = {
	.attach = attach,
	.begin = begin_session,
	.end = end_session,
	.skip = skip,
	.fail = fail,
};

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
			    "of CPU %d", source->feed.unit->cpu);
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

/* Hands entries on, all but the last: what comes may change that. */
static void drain(struct coresight *source)
{
	struct coresight_entry *entries = source->entries.items;
	size_t count = source->entries.count;
	size_t keep = count && !source->is_decoded;
	size_t done = 0;

	while (done + keep < count && flow_batch_has_room(source->batch)) {
		add(source, &entries[done]);
		done++;
	}
	for (size_t i = done; i < count; i++)
		entries[i - done] = entries[i];
	source->entries.count -= done;
}

static void emit_end(struct coresight *source)
{
	const struct coresight_entry end = {
		.item.kind = FLOW_END,
		.stamp.low_ns = flow_batch_last_ns(source->batch),
		.stamp.high_ns = UINT64_MAX,
		.stamp.known_ns = flow_batch_last_ns(source->batch),
	};

	add(source, &end);
	flow_batch_settle(source->batch);
	source->at_end = true;
}

/* When the CPU was traced no more, if the trace says that it ended: the record
 * of its last bytes came then, or later.
 */
static uint64_t trace_end(const struct coresight *source)
{
	uint64_t end_ns = source->input.stream->end_ns;
	uint64_t last_ns = flow_batch_last_ns(source->batch);

	if (!source->is_off || source->input.stream->cut || !end_ns)
		return UINT64_MAX;
	return end_ns > last_ns ? end_ns : last_ns;
}

/* Switches go among the finished items of their time. */
static int add_switches(struct coresight *source, bool is_drained)
{
	int status = 1;

	if (source->switches)
		status = switch_merge(source->switches, source->batch,
				      is_drained,
				      is_drained ? trace_end(source) :
						   UINT64_MAX);
	if (status == 1 && is_drained)
		emit_end(source);
	return status < 0 ? status : 0;
}

static int work(struct coresight *source)
{
	bool is_drained;
	int error = 0;

	drain(source);
	if (source->entries.count < 2)
		error = decode(source);
	is_drained = source->is_decoded && !source->entries.count;
	if (is_drained || !flow_batch_has_room(source->batch))
		flow_batch_settle(source->batch);
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

static void coresight_close(struct flow_source *base)
{
	struct coresight *source = (struct coresight *)base;

	coresight_feed_close(&source->feed);
	array_free(&source->entries);
	task_ids_free(source->tasks);
	switch_feed_free(source->switches);
	flow_batch_free(source->batch);
	coresight_code_close(source->code);
	free(source);
}

static bool is_slow(void *ctx, const struct flow_item *item)
{
	struct coresight *source = ctx;
	const uint8_t *bytes;
	size_t left;

	if (item->kind == FLOW_STOP)
		return true;
	bytes = coresight_code_bytes(source->code, item->ip + item->last,
				     &left);
	return bytes && coresight_looks_slow(bytes, left);
}

/* The kernel's own records say best who runs.  Without times they cannot be
 * placed, nor if they do not say on which CPU: perf's of tasks.
 */
static int set_up_tasks(struct coresight *source)
{
	const struct recording *recording = source->input.recording;

	if (source->has_time) {
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
	int error = coresight_code_open(input, &source->code);

	if (error)
		return error;
	source->entries = ARRAY_OF(struct coresight_entry);
	source->has_time = recording_time(input->recording) ==
			   RECORDING_TIME_NANOSECONDS;
	source->next_change_ns = coresight_code_next_change_ns(source->code);
	source->instructions = 1;
	source->task = -1;
	source->is_decoded = !input->stream->piece_count;
	source->feed = (struct coresight_feed){
		.recording = input->recording,
		.stream = input->stream,
		.depth = CORESIGHT_EXECUTION,
		.events = &feed_events,
		.ctx = source,
	};
	source->batch = flow_batch_new(is_slow, source);
	if (!source->batch)
		return -ERROR_MEMORY;
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
	.close = coresight_close,
};
