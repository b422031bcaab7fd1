/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_SESSION_H
#define KT_DECODER_CORESIGHT_SESSION_H

#include "decoder/coresight/coresight_elements.h"
#include "decoder/coresight/coresight_feed.h"

/* A stream on its way through OpenCSD, session by session: what a trace unit
 * wrote from start to stop.  OpenCSD calls back for every element that it finds.
 */
struct coresight_session {
	struct coresight_feed feed;
	struct coresight_elements elements;
	bool is_waiting;    /* for what a session begins with */
	uint64_t whole_end; /* ETMv3: of the last whole packet */
};

/* Makes @session, whose elements' items and code are set, one that is before the
 * first byte of @stream; to be closed by coresight_feed_close().
 */
void coresight_session_begin(struct coresight_session *session,
			     const struct recording *recording,
			     const struct aux_stream *stream);

/* Decodes the next few thousand bytes; something must be left.  Returns 0 or a
 * negative enum error.
 */
int coresight_session_decode(struct coresight_session *session);

#endif
