/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/coresight/coresight_memory.h"
#include "decoder/coresight/coresight_parts.h"

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
	int error = coresight_memory_attach(&source->feed.tree, source->code);

	if (error)
		return error;
	error = coresight_tree_on_element(&source->feed.tree, take_element,
					  source);
	if (error)
		return error;
	return watch_packets(source) == OCSD_OK ? 0 : -ERROR_MEMORY;
}

static void begin_session(void *ctx)
{
	struct coresight *source = ctx;

	source->is_running = false;
	source->must_start = false;
	source->is_waiting = true;
	coresight_lose_count(source);
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

const struct coresight_feed_events coresight_feed_events = {
	.attach = attach,
	.begin = begin_session,
	.end = end_session,
	.skip = skip,
	.fail = fail,
};
