/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_SEGMENT_H
#define KT_EXECUTION_SEGMENT_H

#include "common/array.h"
#include "execution/follow/execution_state.h"
#include "execution/stream/record_buffer.h"

#include <stdbool.h>
#include <stdint.h>

struct record_feed;

/* The records between two synchronisation points, and the state at both. */
struct segment {
	uint64_t begin;	     /* in the stream's bytes; 0: its begin */
	uint64_t end;	     /* NO_SYNC: its end */
	uint64_t rate;	     /* the last known instruction_pace.rate */
	unsigned int passed; /* points that the feed told of */
	bool has_begin;	     /* the first point was found, */
	bool has_end;	     /* and the second; else the stream ended */
	struct execution_state states[2]; /* there */
	struct record_buffer records;
	struct array marks; /* struct event_mark */
	bool is_off;	    /* as record_feed_is_off(), at the end */
	uint64_t end_ns;
};

void segment_init(struct segment *segment);
void segment_free(struct segment *segment);

/* Makes the records of @segment, decoding from a little before: what is known
 * at its begin is then found out.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int segment_decode(struct segment *segment, struct record_feed *feed);

/* Makes them again from @state, that at its begin.  Returns likewise. */
int segment_decode_from(struct segment *segment, struct record_feed *feed,
			const struct execution_state *state);

#endif
