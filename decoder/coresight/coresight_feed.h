/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_FEED_H
#define KT_DECODER_CORESIGHT_FEED_H

#include "decoder/coresight/coresight_tree.h"

#include <stdbool.h>
#include <stddef.h>

struct aux_stream;
struct recording;

/* What happens while a stream is fed to OpenCSD.  Functions may be NULL. */
struct coresight_feed_events {
	/* A tree was opened: its call-backs are to be set.  Returns 0 or a
	 * negative enum error.
	 */
	int (*attach)(void *ctx);
	void (*begin)(void *ctx);
	/* @is_lost: more of the session's trace was lost. */
	void (*end)(void *ctx, bool is_lost);
	/* OpenCSD gave up at @position, and begins anew behind it. */
	void (*fail)(void *ctx, uint64_t position);
};

/* Feeds a stream to OpenCSD session by session: what a trace unit wrote from
 * start to stop.  All sessions are of one unit, but where the stream follows a
 * thread.
 */
struct coresight_feed {
	const struct recording *recording;
	const struct aux_stream *stream;
	enum coresight_depth depth;
	const struct coresight_feed_events *events;
	void *ctx;

	struct coresight_tree tree;
	const struct coresight_unit *unit;	/* NULL before the first */
	size_t piece;			/* of the stream */
	uint64_t piece_start;		/* its position in the stream */
	size_t piece_done;		/* bytes of it that were fed */
	size_t next_loss;
	bool in_session;
};

/* Whether all was fed. */
bool coresight_feed_is_done(const struct coresight_feed *feed);

/* How many bytes of the stream were fed. */
uint64_t coresight_feed_position(const struct coresight_feed *feed);

/* Feeds the next few thousand bytes; something must be left.  Returns 0, what
 * attach() returned, or as coresight_tree_open().
 */
int coresight_feed_some(struct coresight_feed *feed);
void coresight_feed_close(struct coresight_feed *feed);

#endif
