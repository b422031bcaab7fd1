/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_FEED_H
#define KT_SYMBOLIZE_GATE_FEED_H

#include "symbolize/gate/gate_step.h"

/* The marks of one CPU, with a look-ahead of two. */
struct gate_feed {
	gate_step_source *source;
	void *ctx;
	struct gate_step steps[2];
	unsigned int first; /* index of the next mark */
	unsigned int count;
};

/* Starts with the first marks of @source, which is called with @ctx. Returns 0
 * or the error of the source.
 */
int gate_feed_begin(struct gate_feed *feed, gate_step_source *source,
		    void *ctx);

/* Return the next mark, and the one after it; NULL if there is none. Valid
 * until gate_feed_advance().
 */
const struct gate_step *gate_feed_first(const struct gate_feed *feed);
const struct gate_step *gate_feed_second(const struct gate_feed *feed);

/* Drops the first mark and reads one more. The first mark must exist. Returns 0
 * or the error of the source.
 */
int gate_feed_advance(struct gate_feed *feed);

#endif
