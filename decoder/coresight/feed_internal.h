/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_FEED_INTERNAL_H
#define KT_DECODER_CORESIGHT_FEED_INTERNAL_H

#include "decoder/coresight/packet_internal.h"
#include "decoder/coresight/speculation_internal.h"
#include "decoder/coresight/tree_internal.h"
#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;

/* Both decoders of CoreSight trace read a stream through a feed:
 *
 *	struct aux_stream ─► feed ─┬─► speculation ─► branches ─► branch_source
 *	                           │    (ETMv4 and ETE, decoded here)
 *	                           └─► tree ─► elements ─► items ─► opencsd_source
 *	                                (any unit, decoded by OpenCSD)
 *
 * packet_internal.h has the boundaries and fields of packets,
 * range_exit_internal.h the branch at the end of a range of instructions.
 */

enum { CORESIGHT_WINDOW_SIZE = 4096 };

/* The bytes that one trace unit wrote, without the frames if there are any. A
 * slice of a stream is read window by window.
 */
struct coresight_window {
	const struct aux_piece *piece;
	uint8_t id;	  /* the unit's trace ID in frames */
	uint8_t frame_id; /* trace ID of the next bytes in frames */
	size_t start;	  /* offset of the window in the slice */
	size_t next;	  /* offset of the window's end in the slice */
	size_t zeros;	  /* number of 0 bytes right before the window */
	bool is_broken;	  /* a broken frame follows the window */

	const uint8_t *bytes;
	size_t size;
	size_t done; /* bytes that need no more scanning */
	uint8_t taken[CORESIGHT_WINDOW_SIZE];
	uint16_t places[CORESIGHT_WINDOW_SIZE];
};

/* Searches a stream of ETMv4 or ETE for alignment synchronization packets by
 * their pattern, also in frames, without parsing the packets between them. A
 * synchronization packet that spans two slices is not found.
 */
struct coresight_scan {
	const struct recording *recording;
	const struct aux_stream *stream;
	struct coresight_window window;
};

/* Trace info follows within this many bytes, other sources' frames excluded. */
enum { CORESIGHT_SYNC_OWN = 64 };

/* Positions in the stream's bytes. */
struct coresight_sync {
	uint64_t from; /* reading from here on finds the packet */
	uint64_t end;  /* right after it */
};

/* Finds the first synchronization packet that ends after @from, up to the end
 * of the window that contains the byte before @to. Returns whether there is
 * one.
 */
bool coresight_scan_next(struct coresight_scan *scan, uint64_t from,
			 uint64_t to, struct coresight_sync *sync);

/* Returns the position to start decoding from so that the state is complete at
 * @position: an earlier synchronization packet, or the start of the stream.
 */
uint64_t coresight_scan_before(struct coresight_scan *scan, uint64_t position);

/* Callbacks while a stream is fed to OpenCSD. Functions may be NULL. */
struct coresight_feed_events {
	/* Consumes the bytes that OpenCSD would otherwise get, like
	 * coresight_branches_consume(). If set, OpenCSD is not used at all, and
	 * attach() is not called.
	 */
	size_t (*put)(void *ctx, uint64_t index, const uint8_t *bytes,
		      size_t size);
	/* Called instead of resetting OpenCSD: the next bytes are unrelated to
	 * earlier ones.
	 */
	void (*reset)(void *ctx);
	/* Called after a tree was opened, to set its callbacks. Returns 0 or a
	 * negative enum error.
	 */
	int (*attach)(void *ctx);
	void (*begin)(void *ctx);
	/* @is_lost: the end of the session's trace was lost. */
	void (*end)(void *ctx, bool is_lost);
	/* Called if a session has bytes before its first sync point, from
	 * @position on.
	 */
	void (*skip)(void *ctx, uint64_t position);
	/* Called if the trace is invalid at @position; feeding continues at the
	 * next sync point.
	 */
	void (*fail)(void *ctx, uint64_t position);
};

/* Feeds a stream to OpenCSD session by session; a session is the trace that a
 * unit wrote from start to stop. All sessions are of one unit, except where the
 * stream follows a thread.
 *
 * After damage OpenCSD restarts at the next synchronization packet that it
 * recognizes, and it misses one whose first bytes it parses as the rest of a
 * damaged packet. Therefore the feed searches for synchronization packets
 * itself: with CORESIGHT_EXECUTION OpenCSD gets only bytes after a
 * synchronization packet, and none after damage.
 */
struct coresight_feed {
	const struct recording *recording;
	const struct aux_stream *stream;
	enum coresight_depth depth;
	const struct coresight_feed_events *events;
	void *ctx;

	struct coresight_tree tree;
	const struct coresight_unit *unit; /* NULL before the first session */
	/* index of the current slice in the stream */
	size_t piece;
	uint64_t piece_start; /* position of the slice in the stream */
	struct coresight_window window; /* of the slice */
	struct coresight_guard guard;
	struct coresight_speculation *speculation; /* NULL if not used */
	uint64_t session_start;
	/* number of the next byte to feed; while OpenCSD or put() runs, number
	 * of the first byte passed to it
	 */
	uint64_t call_index;
	/* bytes fed since the sync point, before call_index */
	uint64_t since_sync;
	size_t next_loss;
	/* bytes of the slice that are not fed; see coresight_feed_seek() */
	size_t skipped;
	bool in_piece;
	bool in_session;
	bool is_new;	  /* no element since OpenCSD was reset */
	bool is_ending;	  /* OpenCSD is being flushed */
	bool is_unsynced; /* the session has no sync point */
	bool is_astray;	  /* searching for a sync point */
	bool is_reported; /* damage was reported by coresight_feed_reject() */
	uint64_t reject_index;
};

/* Returns whether all was fed. */
bool coresight_feed_is_done(const struct coresight_feed *feed);

/* Returns the number of stream bytes fed. */
uint64_t coresight_feed_position(const struct coresight_feed *feed);

/* Returns the position of the byte with OpenCSD's number @index. */
uint64_t coresight_feed_position_at(const struct coresight_feed *feed,
				    uint64_t index);

/* Returns the number of bytes between the sync point where OpenCSD started and
 * its byte number @index, which may be of an earlier call. Bytes that it was
 * not fed are not counted.
 */
uint64_t coresight_feed_since_sync(const struct coresight_feed *feed,
				   uint64_t index);

/* Must be called by a callback that then makes OpenCSD fail: reports that the
 * trace is invalid up to shortly before byte @index.
 */
void coresight_feed_reject(struct coresight_feed *feed, uint64_t index);

/* Feeds the next few thousand bytes; must not be called at the end. Returns 0,
 * the result of attach(), or an error of coresight_tree_open().
 */
int coresight_feed_some(struct coresight_feed *feed);

void coresight_feed_close(struct coresight_feed *feed);

/* Seeks to byte @position of the stream, or a little before it. Feeding
 * continues as at the start of a session.
 */
void coresight_feed_seek(struct coresight_feed *feed, uint64_t position);

#endif
