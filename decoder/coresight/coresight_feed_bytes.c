/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_feed_bytes.h"

uint64_t coresight_feed_first(const struct coresight_feed *feed)
{
	return feed->piece_start + feed->window.start;
}

bool coresight_feed_speculates(const struct coresight_feed *feed)
{
	return feed->depth == CORESIGHT_EXECUTION &&
	       !coresight_unit_is_old(feed->unit) && feed->unit->idr8;
}

bool coresight_feed_waits(const struct coresight_feed *feed)
{
	return coresight_feed_speculates(feed) && !feed->is_astray &&
	       coresight_speculation_waits(feed->speculation);
}

void coresight_feed_tell(struct coresight_feed *feed, ocsd_datapath_op_t op)
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

void coresight_feed_fail(struct coresight_feed *feed)
{
	if (feed->events->fail)
		feed->events->fail(feed->ctx, coresight_feed_position(feed));
	coresight_feed_tell(feed, OCSD_OP_RESET);
	feed->is_astray = feed->depth == CORESIGHT_EXECUTION;
}

/* The byte before the position where OpenCSD gave up may have been the last
 * byte of a synchronization packet that was parsed as something else. Skips at
 * least one byte each time.
 */
static void give_up(struct coresight_feed *feed, size_t used)
{
	struct coresight_window *window = &feed->window;
	uint64_t first = coresight_feed_first(feed) + window->done;
	uint64_t index = first + used;
	size_t back = 0;

	if (feed->is_told && feed->reject_index < index)
		index = feed->reject_index;
	if (index > first)
		back = index - first - 1;
	feed->is_told = false;
	window->done += feed->depth == CORESIGHT_EXECUTION ? back :
			used				   ? used :
							     1;
	coresight_feed_fail(feed);
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
	uint64_t first = coresight_feed_first(feed);

	feed->window.done = index > first ? index - first : 0;
	coresight_feed_fail(feed);
	feed->is_astray = false;
	feed_sync(feed, index);
}

bool coresight_feed_new_speculation(struct coresight_feed *feed)
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
	size_t taken = coresight_speculation_take(
		feed->speculation, coresight_feed_first(feed) + from,
		window->bytes + from, window->size - from);

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

	if (passed && !give(feed, coresight_feed_first(feed) + window->done,
			    bytes, passed, &used)) {
		give_up(feed, used);
		return;
	}
	window->done += used;
	if (passed < size)
		give_up(feed, 0);
}

void coresight_feed_bytes(struct coresight_feed *feed)
{
	if (coresight_feed_speculates(feed))
		feed_speculation(feed);
	else
		feed_plain(feed);
}

static void begin_packets(struct coresight_feed *feed)
{
	if (coresight_feed_speculates(feed))
		coresight_speculation_begin(feed->speculation, feed->unit);
	else
		coresight_guard_begin(&feed->guard, feed->unit);
}

void coresight_feed_find_sync(struct coresight_feed *feed)
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
	begin_packets(feed);
	feed_sync(feed, coresight_feed_first(feed) + feed->window.done);
}
