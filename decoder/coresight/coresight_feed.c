/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_feed.h"
#include "decoder/recording/recording_parts.h"

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
	return feed->piece_start +
	       coresight_window_place(window, window->done);
}

/* Bytes of a window are numbered from the position of its first frame. */
static uint64_t window_index(const struct coresight_feed *feed)
{
	return feed->piece_start + feed->window.start;
}

uint64_t coresight_feed_place(const struct coresight_feed *feed,
			      uint64_t index)
{
	uint64_t first = window_index(feed);

	if (!feed->in_piece || index < first ||
	    index - first >= feed->window.size)
		return index;
	return feed->piece_start +
	       coresight_window_place(&feed->window, index - first);
}

uint64_t coresight_feed_since_sync(const struct coresight_feed *feed,
				   uint64_t index)
{
	return feed->since_sync +
	       (index > feed->call_index ? index - feed->call_index : 0);
}

void coresight_feed_reject(struct coresight_feed *feed, uint64_t index)
{
	feed->is_told = true;
	feed->reject_index = index;
}

void coresight_feed_close(struct coresight_feed *feed)
{
	coresight_tree_close(&feed->tree);
}

static void tell_tree(struct coresight_feed *feed, ocsd_datapath_op_t op)
{
	feed->is_ending = op == OCSD_OP_EOT;
	ocsd_dt_process_data(feed->tree.handle, op, 0, 0, NULL, NULL);
	feed->is_ending = false;
	feed->is_new = op == OCSD_OP_RESET;
}

static int open_tree(struct coresight_feed *feed,
		     const struct coresight_unit *unit)
{
	int error;

	coresight_tree_close(&feed->tree);
	feed->unit = unit;
	feed->is_new = true;
	error = coresight_tree_open(&feed->tree, unit, feed->depth);
	return error ? error : feed->events->attach(feed->ctx);
}

static int begin_session(struct coresight_feed *feed)
{
	const struct coresight_unit *unit =
		array_at(&feed->recording->coresight_units,
			 piece_now(feed)->unit);
	int error = 0;

	if (feed->unit != unit)
		error = open_tree(feed, unit);
	else
		tell_tree(feed, OCSD_OP_RESET);
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
	tell_tree(feed, OCSD_OP_EOT);
	feed->in_session = false;
	if (feed->events->end)
		feed->events->end(feed->ctx, is_lost);
}

static void fail(struct coresight_feed *feed)
{
	if (feed->events->fail)
		feed->events->fail(feed->ctx, coresight_feed_position(feed));
	tell_tree(feed, OCSD_OP_RESET);
	feed->is_astray = feed->depth == CORESIGHT_EXECUTION;
}

/* What lies right before the place where OpenCSD gave up may have been the
 * last byte of a synchronisation packet, taken for something else.  Some byte
 * more is passed over each time.
 */
static void give_up(struct coresight_feed *feed, size_t used)
{
	struct coresight_window *window = &feed->window;
	size_t first = window->done;
	uint64_t index = window_index(feed) + first + used;
	size_t back = 0;

	if (feed->is_told && feed->reject_index < index)
		index = feed->reject_index;
	if (index > window_index(feed) + first)
		back = index - window_index(feed) - first - 1;
	feed->is_told = false;
	window->done += feed->depth == CORESIGHT_EXECUTION ? back :
			used				   ? used :
							     1;
	fail(feed);
}

static void feed_bytes(struct coresight_feed *feed, size_t size)
{
	struct coresight_window *window = &feed->window;
	ocsd_datapath_resp_t response;
	uint32_t used = 0;

	feed->call_index = window_index(feed) + window->done;
	response = ocsd_dt_process_data(
		feed->tree.handle, OCSD_OP_DATA, feed->call_index,
		(uint32_t)size, window->bytes + window->done, &used);
	if (response != OCSD_RESP_CONT || !used)
		give_up(feed, used);
	else
		window->done += used;
	feed->since_sync += used;
	feed->call_index += used;
}

static void feed_window(struct coresight_feed *feed)
{
	struct coresight_window *window = &feed->window;
	size_t size = window->size - window->done;
	size_t passed = coresight_guard_pass(
		&feed->guard, window->bytes + window->done, size);

	if (passed)
		feed_bytes(feed, passed);
	if (passed < size && !feed->is_astray)
		give_up(feed, 0);
}

/* Stands for the synchronisation packet that was found, which may lie in
 * several windows.
 */
static void feed_sync(struct coresight_feed *feed)
{
	static const uint8_t packet[] = { 0, 0, 0, 0, 0,    0,
					  0, 0, 0, 0, 0, 0x80 };
	size_t size = coresight_tree_sync_zeros(feed->unit) + 1;
	uint64_t end = window_index(feed) + feed->window.done;
	uint32_t used;

	feed->call_index = end;
	feed->since_sync = 0;
	ocsd_dt_process_data(feed->tree.handle, OCSD_OP_DATA,
			     end > size ? end - size : 0, (uint32_t)size,
			     packet + sizeof(packet) - size, &used);
}

static void find_sync(struct coresight_feed *feed)
{
	bool passed;
	bool found = coresight_window_find_sync(
		&feed->window, feed->window.done,
		coresight_tree_sync_zeros(feed->unit), &passed);

	if (passed && feed->is_unsynced && feed->events->skip)
		feed->events->skip(feed->ctx, feed->session_start);
	if (!found)
		return;
	feed->is_unsynced = false;
	feed->is_astray = false;
	coresight_guard_begin(&feed->guard, feed->unit);
	feed_sync(feed);
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

/* Frames are whole, or the file was cut. */
static void next_piece(struct coresight_feed *feed)
{
	const struct aux_piece *piece = piece_now(feed);
	bool has_rest = feed->window.next < piece->size_bytes;
	bool is_last = feed->piece + 1 == feed->stream->piece_count;
	bool is_lost = is_lost_at(feed, feed->piece_start + piece->size_bytes);
	bool is_cut = is_last && feed->stream->cut;

	if (is_last || is_lost || has_rest || piece[1].begins_anew)
		end_session(feed, is_lost || (has_rest && !is_cut));
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
	feed->in_piece = true;
	return 0;
}

static void next_window(struct coresight_feed *feed)
{
	if (feed->window.is_broken)
		fail(feed);
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
		find_sync(feed);
	else
		feed_window(feed);
	return 0;
}
