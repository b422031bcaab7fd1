/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_SEGMENT_H
#define KT_EXECUTION_SEGMENT_H

#include "common/array.h"
#include "execution/follow/execution_state.h"
#include "execution/stream/record_buffer.h"

#include <stdbool.h>
#include <stdint.h>

struct record_feed;

/* The records between two sync points, and the state at both. Decoding starts a
 * little earlier, so that the state at the first sync point is almost always
 * complete.
 */
struct segment {
	/* position of the first sync point, in the stream's bytes; 0: start of
	 * the stream
	 */
	uint64_t begin;
	uint64_t end;	     /* of the second; NO_SYNC: end of the stream */
	uint64_t rate;	     /* the last known instruction_pace.rate */
	unsigned int passed; /* sync points passed by the feed */
	bool has_begin;	     /* the first sync point was found */
	/* the second was found; otherwise the stream ended */
	bool has_end;
	struct execution_state states[2]; /* at the sync points */
	struct record_buffer records;
	struct array marks; /* struct event_mark */
	bool is_off;	    /* record_feed_is_off() at the end */
	uint64_t end_ns;
};

void segment_init(struct segment *segment);
void segment_free(struct segment *segment);

/* Decodes the records of @segment, starting a little earlier with all state
 * unknown.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int segment_decode(struct segment *segment, struct record_feed *feed);

/* Like segment_decode(), but starts at the first sync point with @state. */
int segment_decode_from(struct segment *segment, struct record_feed *feed,
			const struct execution_state *state);

#endif
