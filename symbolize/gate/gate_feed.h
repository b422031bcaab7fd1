/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_FEED_H
#define KT_SYMBOLIZE_GATE_FEED_H

#include "symbolize/gate/gate_step.h"

/* The marks of one CPU, two of which can be looked at before they are taken. */
struct gate_feed {
	gate_step_source *source;
	void *ctx;
	struct gate_step steps[2];
	unsigned int first; /* which of these comes next */
	unsigned int count;
};

/* The marks come from @source when called with @ctx.  Returns 0 or what the
 * source returns when it fails.
 */
int gate_feed_begin(struct gate_feed *feed, gate_step_source *source,
		    void *ctx);

/* Returns the next mark, or the one behind it; NULL if there is none.  Both
 * are valid until gate_feed_advance().
 */
const struct gate_step *gate_feed_first(const struct gate_feed *feed);
const struct gate_step *gate_feed_second(const struct gate_feed *feed);

/* Goes on to the mark behind the next one, which there must be.  Returns 0 or
 * what the source returns when it fails.
 */
int gate_feed_advance(struct gate_feed *feed);

#endif
