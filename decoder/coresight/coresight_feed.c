/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_feed.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/coresight/coresight_feed_bytes.h"
#include "decoder/coresight/coresight_scan.h"
#include "decoder/recording/coresight_unit.h"
#include "decoder/recording/recording.h"

static const struct aux_piece *piece_now(const struct coresight_feed *feed)
{
	return &feed->stream->pieces[feed->piece];
}

bool coresight_feed_is_done(const struct coresight_feed *feed)
{
	return feed->piece == feed->stream->piece_count;
}

uint64_t coresight_feed_position(const struct coresight_feed *feed)
{
	const struct coresight_window *window = &feed->window;

	if (!feed->in_piece)
		return feed->piece_start;
	return feed->piece_start + coresight_window_place(window, window->done);
}

uint64_t coresight_feed_place(const struct coresight_feed *feed, uint64_t index)
{
	uint64_t first = coresight_feed_first(feed);

	if (!feed->in_piece || index < first ||
	    index - first >= feed->window.size)
		return index;
	return feed->piece_start +
	       coresight_window_place(&feed->window, index - first);
}

uint64_t coresight_feed_since_sync(const struct coresight_feed *feed,
				   uint64_t index)
{
	uint64_t back;

	if (index >= feed->call_index)
		return feed->since_sync + (index - feed->call_index);
	back = feed->call_index - index;
	return feed->since_sync > back ? feed->since_sync - back : 0;
}

void coresight_feed_reject(struct coresight_feed *feed, uint64_t index)
{
	feed->is_told = true;
	feed->reject_index = index;
}

void coresight_feed_close(struct coresight_feed *feed)
{
	coresight_speculation_free(feed->speculation);
	coresight_tree_close(&feed->tree);
}

static int open_tree(struct coresight_feed *feed,
		     const struct coresight_unit *unit)
{
	int error;

	coresight_tree_close(&feed->tree);
	feed->unit = unit;
	feed->is_new = true;
	if (!feed->speculation && coresight_feed_speculates(feed) &&
	    !coresight_feed_new_speculation(feed))
		return -ERROR_MEMORY;
	if (feed->events->put) {
		feed->events->reset(feed->ctx);
		return 0;
	}
	error = coresight_tree_open(&feed->tree, unit, feed->depth);
	return error ? error : feed->events->attach(feed->ctx);
}

static int begin_session(struct coresight_feed *feed)
{
	const struct coresight_unit *unit =
		array_at(recording_coresight_units(feed->recording),
			 piece_now(feed)->unit);
	int error = 0;

	if (feed->unit != unit)
		error = open_tree(feed, unit);
	else
		coresight_feed_tell(feed, OCSD_OP_RESET);
	feed->in_session = !error;
	feed->session_start = feed->piece_start;
	feed->since_sync = 0;
	feed->is_unsynced = feed->depth == CORESIGHT_EXECUTION;
	feed->is_astray = feed->is_unsynced;
	if (!error && feed->events->begin)
		feed->events->begin(feed->ctx);
	return error;
}

static void end_session(struct coresight_feed *feed, bool is_lost)
{
	coresight_feed_tell(feed, OCSD_OP_EOT);
	feed->in_session = false;
	if (feed->events->end)
		feed->events->end(feed->ctx, is_lost);
}

static bool is_lost_at(struct coresight_feed *feed, uint64_t position)
{
	const struct aux_stream *stream = feed->stream;
	bool is_lost = false;

	for (; feed->next_loss < stream->loss_count &&
	       stream->losses[feed->next_loss].offset <= position;
	     feed->next_loss++)
		is_lost = true;
	return is_lost;
}

/* Frames are whole, unless the file was cut. A unit that stops resolves all
 * speculation: if it did not, the rest of the trace is missing.
 */
static void next_piece(struct coresight_feed *feed)
{
	const struct aux_piece *piece = piece_now(feed);
	bool has_rest = feed->window.next < piece->size_bytes;
	bool is_last = feed->piece + 1 == feed->stream->piece_count;
	bool is_lost = is_lost_at(feed, feed->piece_start + piece->size_bytes);
	bool is_cut = is_last && feed->stream->cut;
	bool is_rest_lost = (has_rest || coresight_feed_waits(feed)) && !is_cut;

	if (is_last || is_lost || has_rest || piece[1].begins_anew)
		end_session(feed, is_lost || is_rest_lost);
	feed->in_piece = false;
	feed->piece_start += piece->size_bytes;
	feed->piece++;
}

static int begin_piece(struct coresight_feed *feed)
{
	bool anew = !feed->in_session;
	int error = anew ? begin_session(feed) : 0;

	if (error)
		return error;
	coresight_window_begin(&feed->window, piece_now(feed),
			       feed->unit->trace_id & CORESIGHT_ID_MASK, anew);
	if (feed->skipped)
		coresight_window_skip(&feed->window, feed->skipped);
	feed->skipped = 0;
	feed->in_piece = true;
	return 0;
}

void coresight_feed_seek(struct coresight_feed *feed, uint64_t position)
{
	const struct aux_stream *stream = feed->stream;

	if (!stream->piece_count)
		return;
	feed->piece = coresight_scan_piece(stream, position);
	feed->piece_start = piece_now(feed)->offset;
	feed->skipped = position - feed->piece_start;
	feed->in_piece = false;
	feed->in_session = false;
	feed->is_told = false;
	feed->next_loss = 0;
	is_lost_at(feed, feed->piece_start);
}

static void next_window(struct coresight_feed *feed)
{
	if (feed->window.is_broken)
		coresight_feed_fail(feed);
	if (!coresight_window_next(&feed->window))
		next_piece(feed);
}

int coresight_feed_some(struct coresight_feed *feed)
{
	int error = feed->in_piece ? 0 : begin_piece(feed);

	if (error)
		return error;
	if (feed->window.done == feed->window.size)
		next_window(feed);
	else if (feed->is_astray)
		coresight_feed_find_sync(feed);
	else
		coresight_feed_bytes(feed);
	return 0;
}
