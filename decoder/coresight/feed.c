/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/feed_internal.h"

#include "common/array.h"
#include "common/error.h"
#include "decoder/coresight/tree_internal.h"
#include "decoder/recording/coresight_streams.h"

/* Two parts: the search for sync points in formatted trace, and the feed of
 * OpenCSD.
 *
 *	slices ─► window: frames, of which the bytes of one source are taken
 *	       ─► window_find_sync(): 0 bytes, then 0x80
 *	feed   ─► bytes from a sync point up to damage, without cancelled
 *	          execution (speculation.c) ─► OpenCSD
 *
 * The source of a byte is known only from an ID earlier in the frames, so a
 * window that starts in the middle looks backwards for one (find_id()). A frame
 * with an impossible ID is damage: bytes before and after it are not joined.
 */

enum { SYNC_END = 0x80 };

/* Returns the number of 0 bytes before @index, including those before the
 * window.
 */
static size_t zeros_before(const struct coresight_window *window, size_t index)
{
	size_t zeros = 0;

	while (zeros < index && !window->bytes[index - 1 - zeros])
		zeros++;
	return zeros == index ? zeros + window->zeros : zeros;
}

/* Returns the number of zeros at the end of the window. After a broken frame no
 * later byte continues those before it, so there are none.
 */
static size_t zeros_behind(const struct coresight_window *window)
{
	return window->is_broken ? 0 : zeros_before(window, window->size);
}

/* Starts reading @piece, before its first window. @anew: discards state of the
 * bytes before.
 */
static void window_begin(struct coresight_window *window,
			 const struct aux_piece *piece, uint8_t id, bool anew)
{
	window->zeros = anew ? 0 : zeros_behind(window);
	window->piece = piece;
	window->id = id;
	window->frame_id = piece->first_id;
	window->start = 0;
	window->next = 0;
	window->size = 0;
	window->done = 0;
	window->is_broken = false;
}

/* Returns whether @id may occur in a frame, as a source or for the formatter
 * itself. An impossible ID means that the frame is damaged: the source of the
 * next bytes is unknown.
 */
static bool is_possible(uint8_t id)
{
	enum { FLUSH = 0x7b, TRIGGER = 0x7d, LAST = 0x6f };

	return id <= LAST || id == FLUSH || id == TRIGGER;
}

enum { UNKNOWN_ID = CORESIGHT_ID_COUNT };

/* Reads the frame at @bytes without knowing its first source. Returns its last
 * source, 0 if it is broken, UNKNOWN_ID if it does not contain an ID.
 */
static uint8_t id_behind(const uint8_t *bytes)
{
	struct coresight_frame frame;
	uint8_t id = UNKNOWN_ID;
	bool is_broken;

	coresight_frame_read(bytes, &id, &frame);
	is_broken = id != UNKNOWN_ID && !is_possible(id);
	for (size_t i = 0; i < frame.count; i++)
		is_broken |= frame.ids[i] != UNKNOWN_ID &&
			     !is_possible(frame.ids[i]);
	return is_broken ? 0 : id;
}

/* Sets the source of the bytes at @place of the slice, from the frames before
 * them.
 */
static void find_id(struct coresight_window *window, size_t place)
{
	uint8_t id = UNKNOWN_ID;

	while (place && id == UNKNOWN_ID) {
		place -= CORESIGHT_FRAME_SIZE;
		id = id_behind(window->piece->bytes + place);
	}
	if (id != UNKNOWN_ID)
		window->frame_id = id;
}

/* Must be called right after window_begin(). Seeks to the start of
 * the window that contains byte @place of the slice.
 */
static void window_skip(struct coresight_window *window, size_t place)
{
	const struct aux_piece *piece = window->piece;

	if (place > piece->size_bytes)
		place = piece->size_bytes;
	place -= place % CORESIGHT_WINDOW_SIZE;
	window->start = place;
	window->next = place;
	if (piece->is_formatted)
		find_id(window, place);
}

static void consume_frame(struct coresight_window *window)
{
	const size_t at = window->next;
	struct coresight_frame frame;

	coresight_frame_read(window->piece->bytes + at, &window->frame_id,
			     &frame);
	window->next += CORESIGHT_FRAME_SIZE;
	window->is_broken = !is_possible(window->frame_id);
	for (size_t i = 0; i < frame.count; i++) {
		window->is_broken |= !is_possible(frame.ids[i]);
		if (window->is_broken || frame.ids[i] != window->id)
			continue;
		window->taken[window->size] = frame.bytes[i];
		window->places[window->size++] =
			(uint16_t)(at + frame.places[i] - window->start);
	}
	if (window->is_broken)
		window->frame_id = 0;
}

static bool consume_frames(struct coresight_window *window, size_t left)
{
	size_t count = left / CORESIGHT_FRAME_SIZE;

	if (count > CORESIGHT_WINDOW_SIZE / CORESIGHT_FRAME_SIZE)
		count = CORESIGHT_WINDOW_SIZE / CORESIGHT_FRAME_SIZE;
	window->bytes = window->taken;
	window->is_broken = false;
	for (size_t i = 0; i < count && !window->is_broken; i++)
		consume_frame(window);
	return count;
}

/* Reads the next window, which may be empty. Returns false at the end of the
 * slice, or where less than a frame is left.
 */
static bool window_next(struct coresight_window *window)
{
	const struct aux_piece *piece = window->piece;
	size_t left = piece->size_bytes - window->next;

	window->zeros = zeros_behind(window);
	window->start = window->next;
	window->size = 0;
	window->done = 0;
	if (piece->is_formatted)
		return consume_frames(window, left);
	window->bytes = piece->bytes + window->start;
	window->size = left < CORESIGHT_WINDOW_SIZE ? left :
						      CORESIGHT_WINDOW_SIZE;
	window->next += window->size;
	return window->size;
}

/* Returns the position of byte @index of the window in the slice. */
static size_t window_place(const struct coresight_window *window, size_t index)
{
	if (!window->piece->is_formatted)
		return window->start + index;
	return index < window->size ? window->start + window->places[index] :
				      window->next;
}

/* Searches the window from @from on for the end of an alignment synchronization
 * packet: at least @zeros 0 bytes, and 0x80. Moves window->done after that
 * packet, or to the end of the window if there is none. Sets *@passed to
 * whether other bytes were skipped. Returns whether there is such a packet.
 */
static bool window_find_sync(struct coresight_window *window, size_t from,
			     size_t zeros, bool *passed)
{
	size_t run = zeros_before(window, from);
	size_t at = from;

	while (at < window->size &&
	       (window->bytes[at] != SYNC_END || run < zeros)) {
		run = window->bytes[at] ? 0 : run + 1;
		at++;
	}
	*passed = at > from + run;
	window->done = at + (at < window->size);
	return at < window->size;
}

enum {
	/* Default distance in bytes between a unit's synchronization packets.
	 */
	USUAL_BYTES = 1 << 12,
};

/* Returns the index of the slice that contains byte @position of @stream, or of
 * the last slice if it is after all. @stream must have slices.
 */
static size_t coresight_scan_piece(const struct aux_stream *stream,
				   uint64_t position)
{
	size_t low = 0;
	size_t high = stream->piece_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (stream->pieces[middle].offset <= position)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Scans the slice from byte @from to @to. */
static bool scan_piece(struct coresight_scan *scan,
		       const struct aux_piece *piece, uint64_t from,
		       uint64_t to, struct coresight_sync *sync)
{
	struct coresight_window *window = &scan->window;
	const struct coresight_unit *unit = array_at(
		recording_coresight_units(scan->recording), piece->unit);
	size_t zeros = coresight_tree_sync_zeros(unit);
	bool passed;

	window_begin(window, piece, unit->trace_id & CORESIGHT_ID_MASK, true);
	/* The packet may start in the window before. */
	if (from > CORESIGHT_WINDOW_SIZE)
		window_skip(window, from - CORESIGHT_WINDOW_SIZE);
	while (window->next < to && window_next(window)) {
		if (!window->zeros)
			sync->from = piece->offset + window->start;
		while (window_find_sync(window, window->done, zeros, &passed)) {
			uint64_t last = window_place(window, window->done - 1);

			sync->end = piece->offset + last + 1;
			if (last >= from)
				return true;
		}
	}
	return false;
}

bool coresight_scan_next(struct coresight_scan *scan, uint64_t from,
			 uint64_t to, struct coresight_sync *sync)
{
	const struct aux_stream *stream = scan->stream;

	if (!stream->piece_count)
		return false;
	for (size_t i = coresight_scan_piece(stream, from);
	     i < stream->piece_count && stream->pieces[i].offset < to; i++) {
		const struct aux_piece *piece = &stream->pieces[i];
		uint64_t before = piece->offset;

		if (scan_piece(scan, piece, from > before ? from - before : 0,
			       to - before, sync))
			return true;
	}
	return false;
}

uint64_t coresight_scan_before(struct coresight_scan *scan, uint64_t position)
{
	uint64_t distance = 2 * USUAL_BYTES;
	struct coresight_sync sync;

	for (; distance < position; distance *= 2)
		if (coresight_scan_next(scan, position - distance, position,
					&sync) &&
		    sync.end + CORESIGHT_SYNC_OWN <= position)
			return sync.from;
	return 0;
}

/* The functions below feed the bytes of the feed's window to OpenCSD: from a
 * sync point up to damage, without cancelled execution.
 */

/* Returns the number of the window's first byte: the position of the window's
 * first frame.
 */
static uint64_t feed_first(const struct coresight_feed *feed)
{
	return feed->piece_start + feed->window.start;
}

/* Returns whether the unit speculates and execution is to be decoded. */
static bool feed_speculates(const struct coresight_feed *feed)
{
	return feed->depth == CORESIGHT_EXECUTION &&
	       !coresight_unit_is_old(feed->unit) && feed->unit->idr8;
}

/* Returns whether the unit traced speculative execution that is still
 * unresolved.
 */
static bool feed_waits(const struct coresight_feed *feed)
{
	return feed_speculates(feed) && !feed->is_astray &&
	       coresight_speculation_waits(feed->speculation);
}

/* Passes @op, the end of the trace or a reset, to OpenCSD. */
static void send_operation(struct coresight_feed *feed, ocsd_datapath_op_t op)
{
	if (feed->events->put) {
		if (op == OCSD_OP_RESET)
			feed->events->reset(feed->ctx);
		return;
	}
	feed->is_ending = op == OCSD_OP_EOT;
	ocsd_dt_process_data(feed->tree.handle, op, 0, 0, NULL, NULL);
	feed->is_ending = false;
	feed->is_new = op == OCSD_OP_RESET;
}

/* Handles damage at the next byte. */
static void feed_fail(struct coresight_feed *feed)
{
	if (feed->events->fail)
		feed->events->fail(feed->ctx, coresight_feed_position(feed));
	send_operation(feed, OCSD_OP_RESET);
	feed->is_astray = feed->depth == CORESIGHT_EXECUTION;
}

/* Handles an error of OpenCSD after @used bytes. With CORESIGHT_EXECUTION the
 * search for a sync point starts one byte before, because that byte may have
 * been the last one of a synchronization packet that was parsed as something
 * else.
 */
static void give_up(struct coresight_feed *feed, size_t used)
{
	struct coresight_window *window = &feed->window;
	uint64_t first = feed_first(feed) + window->done;
	uint64_t index = first + used;
	size_t back = 0;

	if (feed->is_reported && feed->reject_index < index)
		index = feed->reject_index;
	if (index > first)
		back = index - first - 1;
	feed->is_reported = false;
	window->done += feed->depth == CORESIGHT_EXECUTION ? back :
			used				   ? used :
							     1;
	feed_fail(feed);
}

static bool put(struct coresight_feed *feed, uint64_t index,
		const uint8_t *bytes, size_t size, uint32_t *used)
{
	if (feed->events->put) {
		*used = (uint32_t)feed->events->put(feed->ctx, index, bytes,
						    size);
		return *used == size;
	}
	return ocsd_dt_process_data(feed->tree.handle, OCSD_OP_DATA, index,
				    (uint32_t)size, bytes,
				    used) == OCSD_RESP_CONT &&
	       *used;
}

/* Returns whether OpenCSD consumed all bytes. */
static bool give(struct coresight_feed *feed, uint64_t index,
		 const uint8_t *bytes, size_t size, uint32_t *used)
{
	bool took_all;

	feed->call_index = index;
	took_all = put(feed, index, bytes, size, used);
	feed->since_sync += *used;
	feed->call_index += *used;
	return took_all;
}

static bool give_committed(void *ctx, uint64_t index, const uint8_t *bytes,
			   size_t size)
{
	uint32_t used = 0;

	return give(ctx, index, bytes, size, &used);
}

/* Feeds a generic synchronization packet instead of the one found before byte
 * @end, which may span several windows.
 */
static void feed_sync(struct coresight_feed *feed, uint64_t end)
{
	static const uint8_t packet[] = {
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80
	};
	size_t size = coresight_tree_sync_zeros(feed->unit) + 1;
	uint32_t used;

	feed->call_index = end;
	feed->since_sync = 0;
	put(feed, end > size ? end - size : 0, packet + sizeof(packet) - size,
	    size, &used);
}

static void begin_anew(void *ctx, uint64_t index)
{
	struct coresight_feed *feed = ctx;
	uint64_t first = feed_first(feed);

	feed->window.done = index > first ? index - first : 0;
	feed_fail(feed);
	feed->is_astray = false;
	feed_sync(feed, index);
}

/* Allocates feed->speculation. Returns false when out of memory. */
static bool feed_new_speculation(struct coresight_feed *feed)
{
	const struct coresight_packet_callback callback = {
		.give = give_committed,
		.begin_anew = begin_anew,
		.ctx = feed,
	};

	feed->speculation = coresight_speculation_new(&callback);
	return feed->speculation;
}

static void feed_speculation(struct coresight_feed *feed)
{
	struct coresight_window *window = &feed->window;
	size_t from = window->done;
	size_t taken = coresight_speculation_consume(feed->speculation,
						     feed_first(feed) + from,
						     window->bytes + from,
						     window->size - from);

	window->done = from;
	if (taken < window->size - from)
		give_up(feed, taken);
	else
		window->done = window->size;
}

/* Feeds the bytes unchanged. */
static void feed_plain(struct coresight_feed *feed)
{
	struct coresight_window *window = &feed->window;
	const uint8_t *bytes = window->bytes + window->done;
	size_t size = window->size - window->done;
	size_t passed = coresight_guard_pass(&feed->guard, bytes, size);
	uint32_t used = 0;

	if (passed && !give(feed, feed_first(feed) + window->done, bytes,
			    passed, &used)) {
		give_up(feed, used);
		return;
	}
	window->done += used;
	if (passed < size)
		give_up(feed, 0);
}

/* Feeds the rest of the window, up to damage. The window must not be used up.
 */
static void feed_bytes(struct coresight_feed *feed)
{
	if (feed_speculates(feed))
		feed_speculation(feed);
	else
		feed_plain(feed);
}

static void begin_packets(struct coresight_feed *feed)
{
	if (feed_speculates(feed))
		coresight_speculation_begin(feed->speculation, feed->unit);
	else
		coresight_guard_begin(&feed->guard, feed->unit);
}

/* Skips to the next sync point in the window, or to its end. */
static void feed_find_sync(struct coresight_feed *feed)
{
	bool passed;
	bool found = window_find_sync(&feed->window, feed->window.done,
				      coresight_tree_sync_zeros(feed->unit),
				      &passed);

	if (passed && feed->is_unsynced && feed->events->skip)
		feed->events->skip(feed->ctx, feed->session_start);
	if (!found)
		return;
	feed->is_unsynced = false;
	feed->is_astray = false;
	begin_packets(feed);
	feed_sync(feed, feed_first(feed) + feed->window.done);
}

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
	return feed->piece_start + window_place(window, window->done);
}

uint64_t coresight_feed_position_at(const struct coresight_feed *feed,
				    uint64_t index)
{
	uint64_t first = feed_first(feed);

	if (!feed->in_piece || index < first ||
	    index - first >= feed->window.size)
		return index;
	return feed->piece_start + window_place(&feed->window, index - first);
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
	feed->is_reported = true;
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
	if (!feed->speculation && feed_speculates(feed) &&
	    !feed_new_speculation(feed))
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
		send_operation(feed, OCSD_OP_RESET);
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
	send_operation(feed, OCSD_OP_EOT);
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

/* Moves to the next slice; ends the session if the trace is not contiguous.
 * Frames are whole, unless the file was cut. A unit that stops resolves all
 * speculation: if it did not, the rest of the trace is missing.
 */
static void next_piece(struct coresight_feed *feed)
{
	const struct aux_piece *piece = piece_now(feed);
	bool has_rest = feed->window.next < piece->size_bytes;
	bool is_last = feed->piece + 1 == feed->stream->piece_count;
	bool is_lost = is_lost_at(feed, feed->piece_start + piece->size_bytes);
	bool is_cut = is_last && feed->stream->cut;
	bool is_rest_lost = (has_rest || feed_waits(feed)) && !is_cut;

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
	window_begin(&feed->window, piece_now(feed),
		     feed->unit->trace_id & CORESIGHT_ID_MASK, anew);
	if (feed->skipped)
		window_skip(&feed->window, feed->skipped);
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
	feed->is_reported = false;
	feed->next_loss = 0;
	is_lost_at(feed, feed->piece_start);
}

static void next_window(struct coresight_feed *feed)
{
	if (feed->window.is_broken)
		feed_fail(feed);
	if (!window_next(&feed->window))
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
		feed_find_sync(feed);
	else
		feed_bytes(feed);
	return 0;
}
