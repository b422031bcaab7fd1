/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_STRETCH_PLAN_H
#define KT_EXECUTION_STRETCH_PLAN_H

#include "execution/stream/segment_ring.h"

#include <stdbool.h>
#include <stdint.h>

struct branch_source;
struct flow_input;
struct jobs;

/* How a stream is cut into intervals. The threads' parts are of one size, but
 * smaller towards the end of the stream; the size of the calling thread's part
 * is adapted so that neither waits for the other.
 */
struct stretch_plan {
	struct branch_source *scout; /* finds sync points */
	uint64_t segment_bytes;	     /* maximum size of a thread's part */
	uint64_t stream_bytes;
	/* size of the calling thread's part, in 1/OWN_PARTS of a thread's */
	unsigned int own_parts;
	bool shares;	     /* the calling thread decodes, too */
	uint64_t next_begin; /* NO_SYNC: there are no more intervals */
};

/* Returns how many threads, within @jobs, are worth starting for @input's
 * stream; 0: the calling thread decodes everything. Of several streams each
 * gets an equal share of the jobs, at least one thread. A single stream gets
 * all of them but one, which is the calling thread's: *@shares.
 */
unsigned int stretch_plan_threads(const struct flow_input *input,
				  const struct jobs *jobs, bool *shares);

/* Plans for @threads, and the calling thread if it @shares their work, from the
 * sync point at @begin on. Returns 0 or a negative enum error; @plan must be
 * closed in either case.
 */
int stretch_plan_open(struct stretch_plan *plan, const struct flow_input *input,
		      unsigned int threads, bool shares, uint64_t segment_bytes,
		      uint64_t begin);
void stretch_plan_close(struct stretch_plan *plan);

/* Returns whether there is another interval, and sets *@stretch to it. */
bool stretch_plan_next(struct stretch_plan *plan, struct stretch *stretch);

/* Adapts the size of the calling thread's next parts to @lead. */
void stretch_plan_adapt(struct stretch_plan *plan, enum ring_lead lead);

#endif
