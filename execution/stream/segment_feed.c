/* SPDX-License-Identifier: MIT */
#include "execution/stream/segment_feed_internal.h"

#include "common/error.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "execution/follow/record_feed.h"
#include "execution/stream/segment_ring.h"

#include <assert.h>
#include <stdlib.h>

/* Two parts: the plan, which decides how many threads to start and cuts the
 * stream into intervals, and the feed, which gives segments to the ring
 * (give_out()), decodes the calling thread's own part, and provides the records
 * of both in order.
 *
 * The plan adapts: if the calling thread had to wait for the ring, or the ring
 * for it, its share of the next interval changes (interval_plan_adapt()). Sizes
 * affect speed only: invariant 2 of the header.
 */

enum {
	MOST_THREADS = 16,
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

/* Returns how many threads, within @jobs, are worth starting for @input's
 * stream; 0: the calling thread decodes everything. Each of several streams
 * gets an equal share of the jobs, at least one thread. For a single stream,
 * *@shares is set: the calling thread decodes as well, and all other jobs are
 * threads for that stream.
 */
static unsigned int interval_plan_threads(const struct flow_input *input,
					  const struct jobs *jobs, bool *shares)
{
	size_t streams = recording_stream_count(input->recording);
	size_t count;

	*shares = streams == 1;
	if (!jobs || !jobs_are_worth_it(jobs, input->stream->size_bytes) ||
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
static uint64_t part_bytes(const struct interval_plan *plan, uint64_t begin)
{
	uint64_t bytes = (plan->stream_bytes - begin) / LEFT_PARTS;
	uint64_t least = plan->segment_bytes / LEAST_PARTS;

	if (bytes < least)
		return least;
	return bytes < plan->segment_bytes ? bytes : plan->segment_bytes;
}

int interval_plan_open(struct interval_plan *plan,
		       const struct flow_input *input, unsigned int threads,
		       bool shares, uint64_t segment_bytes, uint64_t begin)
{
	*plan = (struct interval_plan){
		/* Several threads' records should fit into the caches, too. */
		.segment_bytes = segment_bytes / (threads > 1 ? 2 : 1),
		.stream_bytes = input->stream->size_bytes,
		.own_parts = shares ? parts_for(threads) : 0,
		.shares = shares,
		.next_begin = begin,
	};
	return branch_source_open(input, &plan->scout);
}

void interval_plan_close(struct interval_plan *plan)
{
	branch_source_close(plan->scout);
}

/* Returns the end of a part of about @bytes that starts at @begin. */
static uint64_t end_of(const struct interval_plan *plan, uint64_t begin,
		       uint64_t bytes)
{
	return branch_source_next_sync(plan->scout,
				       begin + (bytes ? bytes : 1));
}

bool interval_plan_next(struct interval_plan *plan, struct interval *interval)
{
	uint64_t begin = plan->next_begin;
	uint64_t bytes;

	if (begin == NO_SYNC)
		return false;
	bytes = part_bytes(plan, begin);
	*interval = (struct interval){
		.begin = begin,
		.middle = begin,
		.end = NO_SYNC,
	};
	if (plan->own_parts)
		interval->middle = end_of(plan, begin,
					  bytes / OWN_PARTS * plan->own_parts);
	if (interval->middle != NO_SYNC)
		interval->end = end_of(plan, interval->middle, bytes);
	plan->next_begin = interval->end;
	return true;
}

void interval_plan_adapt(struct interval_plan *plan, enum ring_lead lead)
{
	if (!plan->shares)
		return;
	if (lead == RING_LATE && plan->own_parts < MOST_PARTS)
		plan->own_parts++;
	if (lead == RING_DONE && plan->own_parts)
		plan->own_parts--;
}

/* Distance of the states reported, in bytes of trace. */
#define STATE_BYTES ((uint64_t)64 << 10)

/* The part of the oldest interval that is provided now; POSITION_BEFORE: none
 * of it yet.
 */
enum place {
	POSITION_BEFORE,
	POSITION_OWN,
	POSITION_AFTER_OWN,
	POSITION_SEGMENT
};

struct segment_feed {
	struct flow_input input;
	const struct symbols *symbols;
	bool lists_blocks;
	/* of the calling thread; NULL until it decodes */
	struct record_feed *own;
	/* of other threads; NULL: the calling thread decodes everything */
	struct segment_ring *ring;
	struct interval_plan plan;
	struct execution_state last; /* state at the end of the last part */
	enum place place;
	/* state at the start of the own part */
	struct execution_state begin;
	/* of the current run, or NULL */
	const struct execution_state *first_state;
	bool at_end;
	bool is_off;
	uint64_t end_ns;
	size_t repeats; /* number of segments decoded again */
};

/* Adds the next intervals to the ring while it has room. */
static void give_out(struct segment_feed *feed)
{
	struct interval interval;

	while (segment_ring_has_room(feed->ring) &&
	       interval_plan_next(&feed->plan, &interval))
		segment_ring_add(feed->ring, &interval, feed->last.pace.rate);
}

static int open_own(struct segment_feed *feed)
{
	if (feed->own)
		return 0;
	return record_feed_open(&feed->input, feed->symbols, feed->lists_blocks,
				&feed->own);
}

/* Sets up the calling thread to decode everything, from @from or the start of
 * the stream.
 */
static int open_alone(struct segment_feed *feed,
		      const struct execution_state *from)
{
	int status = open_own(feed);

	if (status || !from)
		return status;
	return record_feed_resume(feed->own, from);
}

/* Sets up @count threads, and the calling one, too, if @shares. If the system
 * starts no thread, the calling one decodes everything.
 */
static int open_threads(struct segment_feed *feed,
			const struct execution_state *from, struct jobs *jobs,
			unsigned int count, bool shares)
{
	int status = interval_plan_open(&feed->plan, &feed->input, count,
					shares, jobs_segment_bytes(jobs),
					from ? from->position : 0);

	if (from)
		feed->last = *from;
	if (status)
		return status;
	status = segment_ring_open(&feed->input, feed->symbols,
				   feed->lists_blocks, jobs, count,
				   &feed->ring);
	return status == -ERROR_SYSTEM ? open_alone(feed, from) : status;
}

int segment_feed_open(const struct flow_input *input,
		      const struct symbols *symbols, bool lists_blocks,
		      struct jobs *jobs, const struct execution_state *from,
		      struct segment_feed **opened)
{
	struct segment_feed *feed = calloc(1, sizeof(*feed));
	unsigned int threads;
	bool shares;
	int status;

	if (!feed)
		return -ERROR_MEMORY;
	feed->input = *input;
	feed->symbols = symbols;
	feed->lists_blocks = lists_blocks;
	threads = interval_plan_threads(input, jobs, &shares);
	status = threads ? open_threads(feed, from, jobs, threads, shares) :
			   open_alone(feed, from);
	if (status < 0) {
		segment_feed_close(feed);
		return status;
	}
	*opened = feed;
	return 0;
}

int segment_feed_restart(struct segment_feed *feed,
			 const struct flow_input *input,
			 struct stream_part part)
{
	assert(!feed->ring);
	feed->input = *input;
	return record_feed_restart(feed->own, input, part);
}

void segment_feed_close(struct segment_feed *feed)
{
	if (!feed)
		return;
	segment_ring_close(feed->ring);
	interval_plan_close(&feed->plan);
	record_feed_close(feed->own);
	free(feed);
}

/* Starts the calling thread's part of @interval, at the state where the last
 * part ended.
 */
static int begin_own(struct segment_feed *feed, const struct interval *interval)
{
	int status = open_own(feed);

	if (!status && interval->begin)
		status = record_feed_resume(feed->own, &feed->last);
	if (status < 0)
		return status;
	record_feed_watch_end(feed->own, interval->middle);
	feed->begin = feed->last;
	feed->first_state = interval->begin ? &feed->begin : NULL;
	feed->place = POSITION_OWN;
	return 0;
}

/* Starts the next interval. Returns 1, 0 if there is none, or a negative enum
 * error.
 */
static int begin_interval(struct segment_feed *feed)
{
	const struct interval *interval;
	int status = 1;

	if (feed->at_end)
		return 0;
	give_out(feed);
	interval = segment_ring_first(feed->ring);
	if (!interval)
		return 0;
	if (interval->begin == interval->middle)
		feed->place = POSITION_AFTER_OWN;
	else
		status = begin_own(feed, interval);
	return status < 0 ? status : 1;
}

static void end_interval(struct segment_feed *feed)
{
	segment_ring_drop(feed->ring);
	feed->place = POSITION_BEFORE;
}

/* Provides the next records of the calling thread's part. Returns 1, 0 if there
 * are none, or -ERROR_MEMORY.
 */
static int next_own(struct segment_feed *feed, struct record_run *run)
{
	int status = record_feed_next(feed->own, run);

	feed->is_off = record_feed_is_off(feed->own);
	feed->end_ns = record_feed_end_ns(feed->own);
	feed->at_end = !status;
	if (!status)
		feed->place = POSITION_AFTER_OWN;
	if (status <= 0)
		return status;
	for (size_t i = 0; i < run->mark_count; i++) {
		if (run->marks[i].kind != MARK_SYNC)
			continue;
		run->count = run->marks[i].index;
		run->mark_count = i;
		feed->last = *record_feed_state(feed->own, 1);
		feed->place = POSITION_AFTER_OWN;
	}
	return run->count || run->mark_count;
}

/* Returns whether @segment starts with the state where the last part ended. */
static bool fits(const struct segment_feed *feed, const struct segment *segment)
{
	return !segment->begin ||
	       (segment->has_begin &&
		execution_state_is_same(&feed->last, &segment->states[0]));
}

static int decode_again(struct segment_feed *feed, struct segment *segment)
{
	int status = open_own(feed);

	feed->repeats++;
	return status ? status :
			segment_decode_from(segment, feed->own, &feed->last);
}

/* Provides the records of the segment. Returns like next_own(). */
static int consume_segment(struct segment_feed *feed, struct record_run *run)
{
	struct segment *segment;
	enum ring_lead lead;
	int status = segment_ring_await(feed->ring, &segment, &lead);

	interval_plan_adapt(&feed->plan, lead);
	if (!status && !fits(feed, segment))
		status = decode_again(feed, segment);
	if (status < 0)
		return status;
	feed->place = POSITION_SEGMENT;
	feed->first_state = segment->begin ? &segment->states[0] : NULL;
	feed->last = segment->states[1];
	feed->at_end = !segment->has_end;
	feed->is_off = segment->is_off;
	feed->end_ns = segment->end_ns;
	*run = (struct record_run){
		.records = segment->records.records,
		.count = segment->records.count,
		.marks = segment->marks.items,
		.mark_count = segment->marks.count,
	};
	return run->count || run->mark_count;
}

/* Advances by one step. Returns 1 if @run has records or marks, 0 if not, or a
 * negative enum error.
 */
static int go_on(struct segment_feed *feed, struct record_run *run)
{
	switch (feed->place) {
	case POSITION_OWN:
		return next_own(feed, run);
	case POSITION_AFTER_OWN:
		if (!feed->at_end)
			return consume_segment(feed, run);
		/* fall through */
	case POSITION_SEGMENT:
		end_interval(feed);
		return 0;
	case POSITION_BEFORE:
		break;
	}
	return 0;
}

int segment_feed_next(struct segment_feed *feed, struct record_run *run)
{
	int status;

	if (!feed->ring)
		return record_feed_next(feed->own, run);
	feed->first_state = NULL;
	do {
		if (feed->place == POSITION_BEFORE) {
			status = begin_interval(feed);
			if (status <= 0)
				return status;
		}
		status = go_on(feed, run);
	} while (!status);
	return status;
}

size_t segment_feed_repeats(const struct segment_feed *feed)
{
	return feed->repeats;
}

bool segment_feed_is_off(const struct segment_feed *feed)
{
	return feed->ring ? feed->is_off : record_feed_is_off(feed->own);
}

uint64_t segment_feed_end_ns(const struct segment_feed *feed)
{
	return feed->ring ? feed->end_ns : record_feed_end_ns(feed->own);
}

void segment_feed_report_states(struct segment_feed *feed)
{
	if (!feed->ring)
		record_feed_watch(feed->own, STATE_BYTES, NO_SYNC);
}

const struct execution_state *
segment_feed_first_state(const struct segment_feed *feed)
{
	return feed->first_state;
}

const struct execution_state *segment_feed_pass(struct segment_feed *feed)
{
	const struct execution_state *state = record_feed_state(feed->own, 0);

	record_feed_watch(feed->own, state->position + STATE_BYTES, NO_SYNC);
	return state;
}
