/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_FEED_H
#define KT_DECODER_CORESIGHT_FEED_H

#include "decoder/coresight/coresight_guard.h"
#include "decoder/coresight/coresight_speculation.h"
#include "decoder/coresight/coresight_tree.h"
#include "decoder/coresight/coresight_window.h"

#include <stdbool.h>
#include <stddef.h>

struct aux_stream;
struct recording;

/* This is what happens while a stream is fed to OpenCSD.  Functions may be
 * NULL.
 */
struct coresight_feed_events {
	/* Takes what OpenCSD would be given: the next bytes, the first of which
	 * has number @index.  Returns how many make sense, up to the one that
	 * makes none.  Then nothing else here is of OpenCSD, attach() neither.
	 */
	size_t (*put)(void *ctx, uint64_t index, const uint8_t *bytes,
		      size_t size);
	/* Instead of OpenCSD: what comes next has nothing to do with what was
	 * before.
	 */
	void (*reset)(void *ctx);
	/* A tree was opened: its call-backs are to be set.  Returns 0 or a
	 * negative enum error.
	 */
	int (*attach)(void *ctx);
	void (*begin)(void *ctx);
	/* @is_lost: more of the session's trace was lost. */
	void (*end)(void *ctx, bool is_lost);
	/* A session has bytes before its first synchronisation point, from
	 * @position on.
	 */
	void (*skip)(void *ctx, uint64_t position);
	/* The trace makes no sense at @position; what comes next begins at the
	 * synchronisation point behind it.
	 */
	void (*fail)(void *ctx, uint64_t position);
};

/* Feeds a stream to OpenCSD session by session: what a trace unit wrote from
 * start to stop.  All sessions are of one unit, but where the stream follows a
 * thread.
 *
 * OpenCSD begins anew behind damage at the next synchronisation packet that it
 * sees, and it does not see one whose first bytes it takes for the rest of
 * a damaged packet.  So they are looked for here: with CORESIGHT_EXECUTION it
 * is given what lies behind one, and no more of what it cannot read.
 */
struct coresight_feed {
	const struct recording *recording;
	const struct aux_stream *stream;
	enum coresight_depth depth;
	const struct coresight_feed_events *events;
	void *ctx;

	struct coresight_tree tree;
	const struct coresight_unit *unit; /* NULL before the first */
	size_t piece;			   /* of the stream */
	uint64_t piece_start;		   /* its position in the stream */
	struct coresight_window window;	   /* of the piece */
	struct coresight_guard guard;
	struct coresight_speculation *speculation; /* or NULL */
	uint64_t session_start;
	uint64_t call_index; /* of the first byte given last */
	uint64_t since_sync; /* bytes given before it */
	size_t next_loss;
	size_t skipped; /* of the piece, see coresight_feed_seek() */
	bool in_piece;
	bool in_session;
	bool is_new;	  /* no element since OpenCSD's reset */
	bool is_ending;	  /* OpenCSD hands out what it holds */
	bool is_unsynced; /* the session has no place to begin */
	bool is_astray;	  /* looks for a place to begin */
	bool is_told;	  /* by coresight_feed_reject() */
	uint64_t reject_index;
};

/* Returns whether all was fed. */
bool coresight_feed_is_done(const struct coresight_feed *feed);

/* How many bytes of the stream were fed. */
uint64_t coresight_feed_position(const struct coresight_feed *feed);

/* Returns the position of a byte that OpenCSD numbers @index. */
uint64_t coresight_feed_place(const struct coresight_feed *feed,
			      uint64_t index);

/* Returns how many bytes lie between the synchronisation point where OpenCSD
 * began and the one that it numbers @index, which it may have been given some
 * calls ago.  What of them it was not given does not count.
 */
uint64_t coresight_feed_since_sync(const struct coresight_feed *feed,
				   uint64_t index);

/* For a call-back that then makes OpenCSD give up: what it was given until
 * shortly before byte @index makes no sense.
 */
void coresight_feed_reject(struct coresight_feed *feed, uint64_t index);

/* Feeds the next few thousand bytes; something must be left.  Returns 0, what
 * attach() returned, or as coresight_tree_open().
 */
int coresight_feed_some(struct coresight_feed *feed);
void coresight_feed_close(struct coresight_feed *feed);

/* Goes to byte @position of the stream, or a little before it: what comes next
 * is fed as if a session began there.
 */
void coresight_feed_seek(struct coresight_feed *feed, uint64_t position);

#endif
