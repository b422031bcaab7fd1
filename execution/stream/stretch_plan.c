/* SPDX-License-Identifier: MIT */
#include "execution/stream/stretch_plan.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "execution/stream/jobs.h"

enum {
	MOST_THREADS = 16,
	/* A stream of fewer segments is not worth the threads. */
	LEAST_SEGMENTS = 4,
	/* A thread's part is an eighth of what is left, so that the threads end
	 * at the same time, but at most segment_bytes and at least a quarter of
	 * that.
	 */
	LEFT_PARTS = 8,
	LEAST_PARTS = 4,
	/* The calling thread's part is measured in parts of a segment. */
	OWN_PARTS = 16,
	MOST_PARTS = 2 * OWN_PARTS,
};

unsigned int stretch_plan_threads(const struct flow_input *input,
				  const struct jobs *jobs, bool *shares)
{
	size_t streams = recording_stream_count(input->recording);
	size_t count;

	*shares = streams == 1;
	if (!jobs || jobs_count(jobs) < 2 ||
	    input->stream->size_bytes <
		    LEAST_SEGMENTS * jobs_segment_bytes(jobs) ||
	    recording_time(input->recording) != RECORDING_TIME_NANOSECONDS ||
	    !branch_source_fits(input->recording, input->stream))
		return 0;
	count = *shares ? jobs_count(jobs) - 1 : jobs_count(jobs) / streams;
	if (!count)
		count = 1;
	return count > MOST_THREADS ? MOST_THREADS : (unsigned int)count;
}

/* Returns the first size of the calling thread's part. It suits a profile,
 * where consuming all records takes the calling thread a quarter of the work of
 * decoding them; with four threads consuming takes all of its time.
 */
static unsigned int parts_for(unsigned int threads)
{
	return threads < 4 ? 13 / threads : 0;
}

/* Returns the size in bytes of a thread's part in an interval that starts at
 * @begin.
 */
static uint64_t part_bytes(const struct stretch_plan *plan, uint64_t begin)
{
	uint64_t bytes = (plan->stream_bytes - begin) / LEFT_PARTS;
	uint64_t least = plan->segment_bytes / LEAST_PARTS;

	if (bytes < least)
		return least;
	return bytes < plan->segment_bytes ? bytes : plan->segment_bytes;
}

int stretch_plan_open(struct stretch_plan *plan, const struct flow_input *input,
		      unsigned int threads, bool shares, uint64_t segment_bytes,
		      uint64_t begin)
{
	*plan = (struct stretch_plan){
		/* Several threads' records should fit into the caches, too. */
		.segment_bytes = segment_bytes / (threads > 1 ? 2 : 1),
		.stream_bytes = input->stream->size_bytes,
		.own_parts = shares ? parts_for(threads) : 0,
		.shares = shares,
		.next_begin = begin,
	};
	return branch_source_open(input, &plan->scout);
}

void stretch_plan_close(struct stretch_plan *plan)
{
	branch_source_close(plan->scout);
}

/* Returns the end of a part of about @bytes that starts at @begin. */
static uint64_t end_of(const struct stretch_plan *plan, uint64_t begin,
		       uint64_t bytes)
{
	return branch_source_next_sync(plan->scout,
				       begin + (bytes ? bytes : 1));
}

bool stretch_plan_next(struct stretch_plan *plan, struct stretch *stretch)
{
	uint64_t begin = plan->next_begin;
	uint64_t bytes;

	if (begin == NO_SYNC)
		return false;
	bytes = part_bytes(plan, begin);
	*stretch = (struct stretch){
		.begin = begin,
		.middle = begin,
		.end = NO_SYNC,
	};
	if (plan->own_parts)
		stretch->middle = end_of(plan, begin,
					 bytes / OWN_PARTS * plan->own_parts);
	if (stretch->middle != NO_SYNC)
		stretch->end = end_of(plan, stretch->middle, bytes);
	plan->next_begin = stretch->end;
	return true;
}

void stretch_plan_adapt(struct stretch_plan *plan, enum ring_lead lead)
{
	if (!plan->shares)
		return;
	if (lead == RING_LATE && plan->own_parts < MOST_PARTS)
		plan->own_parts++;
	if (lead == RING_DONE && plan->own_parts)
		plan->own_parts--;
}
