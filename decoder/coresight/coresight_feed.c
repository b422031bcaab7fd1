/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_feed.h"
#include "decoder/recording/coresight_frame.h"
#include "decoder/recording/recording_parts.h"

/* Bytes of trace that are decoded at one go. */
enum { CHUNK = 4096 };

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
	return feed->piece_start + feed->piece_done;
}

void coresight_feed_close(struct coresight_feed *feed)
{
	coresight_tree_close(&feed->tree);
}

static void tell_tree(struct coresight_feed *feed, ocsd_datapath_op_t op)
{
	ocsd_dt_process_data(feed->tree.handle, op, 0, 0, NULL, NULL);
}

static int open_tree(struct coresight_feed *feed,
		     const struct coresight_unit *unit)
{
	int error;

	coresight_tree_close(&feed->tree);
	feed->unit = unit;
	error = coresight_tree_open(&feed->tree, unit,
				    piece_now(feed)->is_formatted,
				    feed->depth);
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

/* Frames are whole, or the file was cut. */
static size_t usable_size(const struct aux_piece *piece)
{
	return piece->is_formatted ?
		       piece->size_bytes - piece->size_bytes %
						   CORESIGHT_FRAME_SIZE :
		       piece->size_bytes;
}

/* OpenCSD gave up: it begins again behind what it has read. */
static void recover(struct coresight_feed *feed, uint32_t used)
{
	size_t step = piece_now(feed)->is_formatted ? CORESIGHT_FRAME_SIZE : 1;

	if (feed->events->fail)
		feed->events->fail(feed->ctx,
				   coresight_feed_position(feed) + used);
	tell_tree(feed, OCSD_OP_RESET);
	feed->piece_done += (used / step + 1) * step;
}

static void feed_chunk(struct coresight_feed *feed, size_t usable)
{
	size_t size = usable - feed->piece_done;
	ocsd_datapath_resp_t response;
	uint32_t used = 0;

	if (size > CHUNK)
		size = CHUNK;
	response = ocsd_dt_process_data(
		feed->tree.handle, OCSD_OP_DATA, coresight_feed_position(feed),
		(uint32_t)size, piece_now(feed)->bytes + feed->piece_done,
		&used);
	if (OCSD_DATA_RESP_IS_FATAL(response) || !used)
		recover(feed, used);
	else
		feed->piece_done += used;
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

static void next_piece(struct coresight_feed *feed)
{
	const struct aux_piece *piece = piece_now(feed);
	bool has_rest = usable_size(piece) < piece->size_bytes;
	bool is_last = feed->piece + 1 == feed->stream->piece_count;
	bool is_lost = is_lost_at(feed, feed->piece_start + piece->size_bytes);

	if (is_last || is_lost || has_rest || piece[1].begins_anew)
		end_session(feed, is_lost || (has_rest && !is_last));
	feed->piece_start += piece->size_bytes;
	feed->piece_done = 0;
	feed->piece++;
}

int coresight_feed_some(struct coresight_feed *feed)
{
	size_t usable = usable_size(piece_now(feed));
	int error = feed->in_session ? 0 : begin_session(feed);

	if (error)
		return error;
	if (feed->piece_done < usable)
		feed_chunk(feed, usable);
	if (feed->piece_done >= usable)
		next_piece(feed);
	return 0;
}
