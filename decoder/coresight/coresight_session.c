/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_session.h"
#include "common/error.h"
#include "decoder/coresight/coresight_code.h"
#include "decoder/coresight/coresight_items.h"
#include "decoder/coresight/coresight_memory.h"
#include "decoder/recording/coresight_unit.h"

/* OpenCSD decodes the incomplete last packet of an ETMv3 as a whole one. */
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

/* A few bytes after a synchronization packet contain the CPU's position.
 * OpenCSD skips everything before them.
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

static ocsd_datapath_resp_t take_element(const void *ctx,
					 const ocsd_trc_index_t index,
					 const uint8_t id,
					 const ocsd_generic_trace_elem *element)
{
	struct coresight_session *session =
		(struct coresight_session *)(uintptr_t)ctx;

	(void)id;
	if (is_of_half_packet(session, index))
		return OCSD_RESP_CONT;
	if (element->elem_type != OCSD_GEN_TRC_ELEM_NO_SYNC)
		check_wait(session, index);
	coresight_elements_take(&session->elements,
				coresight_feed_place(&session->feed, index),
				element);
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
	error = coresight_tree_on_element(&session->feed.tree, take_element,
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

void coresight_session_begin(struct coresight_session *session,
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

int coresight_session_decode(struct coresight_session *session)
{
	int error = coresight_feed_some(&session->feed);

	return error ? error : session->elements.items->error;
}
