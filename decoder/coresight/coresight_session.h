/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_SESSION_H
#define KT_DECODER_CORESIGHT_SESSION_H

#include "decoder/coresight/coresight_elements.h"
#include "decoder/coresight/coresight_feed.h"

/* Decodes a stream with OpenCSD session by session; a session is the trace that
 * a unit wrote from start to stop. OpenCSD calls back for every element that it
 * finds.
 */
struct coresight_session {
	struct coresight_feed feed;
	struct coresight_elements elements;
	bool is_waiting;    /* for the first elements of a session */
	uint64_t whole_end; /* ETMv3: end of the last whole packet */
};

/* Initializes @session, whose elements' items and code are set, before the
 * first byte of @stream. Close it with coresight_feed_close().
 */
void coresight_session_begin(struct coresight_session *session,
			     const struct recording *recording,
			     const struct aux_stream *stream);

/* Decodes the next few thousand bytes; must not be called at the end. Returns 0
 * or a negative enum error.
 */
int coresight_session_decode(struct coresight_session *session);

#endif
