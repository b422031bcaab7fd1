/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_STRETCH_PLAN_H
#define KT_EXECUTION_STRETCH_PLAN_H

#include "execution/stream/segment_ring.h"

#include <stdbool.h>
#include <stdint.h>

struct branch_source;
struct flow_input;
struct jobs;

/* How a stream is cut into stretches: threads' parts are of one size, smaller where
 * the stream ends, and the calling thread's such that neither waits for the other.
 */
struct stretch_plan {
	struct branch_source *scout; /* where there are points */
	uint64_t segment_bytes;	     /* of a thread's part, at most */
	uint64_t stream_bytes;
	unsigned int own_parts; /* of OWN_PARTS in that */
	bool shares;		/* the calling thread has its part */
	uint64_t next_begin;	/* NO_SYNC: the last was given out */
};

/* Returns how many threads, of @jobs, pay for @input's stream; 0: the calling one does it
 * all.  Each of several streams has a thread of its own; one has all but the calling
 * thread, which *@shares their work.
 */
unsigned int stretch_plan_threads(const struct flow_input *input,
				  const struct jobs *jobs, bool *shares);

/* Plans for @threads, and the calling thread if that @shares their work, from the
 * point at @begin on.  Returns 0 or a negative enum error; either way it is to
 * be closed.
 */
int stretch_plan_open(struct stretch_plan *plan, const struct flow_input *input,
		      unsigned int threads, bool shares, uint64_t segment_bytes,
		      uint64_t begin);
void stretch_plan_close(struct stretch_plan *plan);

/* Returns whether there is a next stretch, and it. */
bool stretch_plan_next(struct stretch_plan *plan, struct stretch *stretch);

/* Changes the sizes of those to come, as threads had @lead. */
void stretch_plan_adapt(struct stretch_plan *plan, enum ring_lead lead);

#endif
