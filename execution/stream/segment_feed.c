/* SPDX-License-Identifier: MIT */
#include "execution/stream/segment_feed.h"
#include "common/error.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "execution/follow/record_feed.h"
#include "execution/stream/jobs.h"
#include "execution/stream/segment.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum {
	MOST_THREADS = 16,
	/* For fewer threads do not pay. */
	LEAST_SEGMENTS = 8,
};

enum slot_state { SLOT_FREE, SLOT_WAITING, SLOT_TAKEN, SLOT_DONE };

struct slot {
	uint8_t state; /* enum slot_state */
	int status;    /* once it is done */
	struct segment segment;
};

struct segment_feed {
	struct flow_input input;
	const struct symbols *symbols;
	bool lists_blocks;
	struct record_feed *own;     /* of the calling thread, once it
					 * decodes */
	struct jobs *jobs;	     /* NULL: it does all */
	struct branch_source *scout; /* where segments begin */
	uint64_t next_begin;	     /* of the next to be given out */
	struct execution_state last; /* where the last one ended */
	struct slot *current;	     /* handed out, or NULL */
	bool at_end;
	bool is_off;
	uint64_t end_ns;
	size_t repeats; /* segments that were decoded again */

	pthread_mutex_t lock; /* of all below */
	pthread_cond_t changed;
	pthread_t threads[MOST_THREADS];
	unsigned int thread_count;
	struct slot *slots; /* a ring, in the order of the stream */
	unsigned int slot_count;
	unsigned int first; /* the next to be handed out */
	bool is_closing;
};

static struct slot *find_waiting(struct segment_feed *feed)
{
	for (unsigned int i = 0; i < feed->slot_count; i++) {
		struct slot *slot =
			&feed->slots[(feed->first + i) % feed->slot_count];

		if (slot->state == SLOT_WAITING)
			return slot;
	}
	return NULL;
}

/* Returns the next segment to be decoded, or NULL to end. */
static struct slot *take_slot(struct segment_feed *feed)
{
	struct slot *slot = NULL;

	pthread_mutex_lock(&feed->lock);
	while (!feed->is_closing && !(slot = find_waiting(feed)))
		pthread_cond_wait(&feed->changed, &feed->lock);
	if (feed->is_closing)
		slot = NULL;
	else
		slot->state = SLOT_TAKEN;
	pthread_mutex_unlock(&feed->lock);
	return slot;
}

static void set_state(struct segment_feed *feed, struct slot *slot,
		      enum slot_state state)
{
	pthread_mutex_lock(&feed->lock);
	slot->state = (uint8_t)state;
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->lock);
}

static void *work(void *ctx)
{
	struct segment_feed *feed = ctx;
	struct record_feed *records = NULL;
	int status = record_feed_open(&feed->input, feed->symbols,
				      feed->lists_blocks, &records);
	struct slot *slot;

	while ((slot = take_slot(feed))) {
		jobs_begin(feed->jobs);
		slot->status = status;
		if (!status)
			slot->status = segment_decode(&slot->segment, records);
		jobs_end(feed->jobs);
		set_state(feed, slot, SLOT_DONE);
	}
	record_feed_close(records);
	return NULL;
}

/* Gives out the next segment of the stream, if there is one. */
static void give_out(struct segment_feed *feed, struct slot *slot)
{
	uint64_t begin = feed->next_begin;

	if (begin == NO_SYNC)
		return;
	feed->next_begin = branch_source_next_sync(
		feed->scout, begin + jobs_segment_bytes(feed->jobs));
	slot->segment.begin = begin;
	slot->segment.end = feed->next_begin;
	slot->segment.rate = feed->last.pace.rate;
	set_state(feed, slot, SLOT_WAITING);
}

static int start_threads(struct segment_feed *feed, unsigned int count)
{
	/* One for each, and one that the records are taken from. */
	feed->slot_count = count + 1;
	feed->slots = calloc(feed->slot_count, sizeof(*feed->slots));
	if (!feed->slots)
		return -ERROR_MEMORY;
	for (unsigned int i = 0; i < feed->slot_count; i++)
		segment_init(&feed->slots[i].segment);
	for (unsigned int i = 0; i < feed->slot_count; i++)
		give_out(feed, &feed->slots[i]);
	for (; feed->thread_count < count; feed->thread_count++)
		if (pthread_create(&feed->threads[feed->thread_count], NULL,
				   work, feed))
			break;
	return feed->thread_count ? 0 : -ERROR_SYSTEM;
}

static uint64_t stream_size(const struct aux_stream *stream)
{
	uint64_t size = 0;

	for (size_t i = 0; i < stream->piece_count; i++)
		size += stream->pieces[i].size_bytes;
	return size;
}

/* Each of several streams has a thread of its own; one has them all. */
static unsigned int threads_for(const struct flow_input *input,
				const struct jobs *jobs)
{
	size_t streams = recording_stream_count(input->recording);
	size_t count;

	if (!jobs || jobs_count(jobs) < 2 ||
	    stream_size(input->stream) <
		    LEAST_SEGMENTS * jobs_segment_bytes(jobs) ||
	    recording_time(input->recording) != RECORDING_TIME_NANOSECONDS ||
	    !branch_source_forgets(input->recording, input->stream))
		return 0;
	count = jobs_count(jobs) / (streams ? streams : 1);
	if (!count)
		count = 1;
	return count > MOST_THREADS ? MOST_THREADS : (unsigned int)count;
}

static int open_own(struct segment_feed *feed)
{
	if (feed->own)
		return 0;
	return record_feed_open(&feed->input, feed->symbols, feed->lists_blocks,
				&feed->own);
}

/* The calling thread decodes all, from @from on, or the begin. */
static int open_alone(struct segment_feed *feed,
		      const struct execution_state *from)
{
	int status = open_own(feed);

	if (status || !from)
		return status;
	return record_feed_resume(feed->own, from);
}

/* So do @count threads. */
static int open_threads(struct segment_feed *feed,
			const struct execution_state *from, struct jobs *jobs,
			unsigned int count)
{
	int status = branch_source_open(&feed->input, &feed->scout);

	if (status)
		return status;
	feed->jobs = jobs;
	if (from) {
		feed->next_begin = from->position;
		feed->last = *from;
	}
	return start_threads(feed, count);
}

int segment_feed_open(const struct flow_input *input,
		      const struct symbols *symbols, bool lists_blocks,
		      struct jobs *jobs, const struct execution_state *from,
		      struct segment_feed **opened)
{
	struct segment_feed *feed = calloc(1, sizeof(*feed));
	unsigned int threads = threads_for(input, jobs);
	int status;

	if (!feed)
		return -ERROR_MEMORY;
	pthread_mutex_init(&feed->lock, NULL);
	pthread_cond_init(&feed->changed, NULL);
	feed->input = *input;
	feed->symbols = symbols;
	feed->lists_blocks = lists_blocks;
	status = threads ? open_threads(feed, from, jobs, threads) :
			   open_alone(feed, from);
	if (status < 0) {
		segment_feed_close(feed);
		return status;
	}
	*opened = feed;
	return 0;
}

int segment_feed_renew(struct segment_feed *feed,
		       const struct flow_input *input, struct stream_part part)
{
	assert(!feed->jobs);
	feed->input = *input;
	return record_feed_renew(feed->own, input, part);
}

void segment_feed_close(struct segment_feed *feed)
{
	if (!feed)
		return;
	pthread_mutex_lock(&feed->lock);
	feed->is_closing = true;
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->lock);
	for (unsigned int i = 0; i < feed->thread_count; i++)
		pthread_join(feed->threads[i], NULL);
	for (unsigned int i = 0; i < feed->slot_count; i++)
		segment_free(&feed->slots[i].segment);
	free(feed->slots);
	branch_source_close(feed->scout);
	record_feed_close(feed->own);
	pthread_cond_destroy(&feed->changed);
	pthread_mutex_destroy(&feed->lock);
	free(feed);
}

/* Waits for the next segment of the stream.  NULL: there is none. */
static struct slot *await_next(struct segment_feed *feed)
{
	struct slot *slot = &feed->slots[feed->first];

	pthread_mutex_lock(&feed->lock);
	while (slot->state == SLOT_WAITING || slot->state == SLOT_TAKEN)
		pthread_cond_wait(&feed->changed, &feed->lock);
	if (slot->state == SLOT_DONE)
		feed->first = (feed->first + 1) % feed->slot_count;
	else
		slot = NULL;
	pthread_mutex_unlock(&feed->lock);
	return slot;
}

static void give_back(struct segment_feed *feed)
{
	struct slot *slot = feed->current;

	feed->current = NULL;
	if (!slot)
		return;
	set_state(feed, slot, SLOT_FREE);
	give_out(feed, slot);
}

/* Returns whether @segment goes on where the last one ended. */
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

static int take_segment(struct segment_feed *feed, struct slot *slot)
{
	struct segment *segment = &slot->segment;
	int status = slot->status;

	feed->current = slot;
	if (!status && !fits(feed, segment))
		status = decode_again(feed, segment);
	if (status < 0)
		return status;
	feed->last = segment->states[1];
	feed->at_end = !segment->has_end;
	feed->is_off = segment->is_off;
	feed->end_ns = segment->end_ns;
	return 1;
}

int segment_feed_next(struct segment_feed *feed, struct record_run *run)
{
	if (!feed->jobs)
		return record_feed_next(feed->own, run);
	do {
		struct slot *slot;
		int status;

		give_back(feed);
		slot = feed->at_end ? NULL : await_next(feed);
		if (!slot)
			return 0;
		status = take_segment(feed, slot);
		if (status < 0)
			return status;
	} while (!feed->current->segment.records.count &&
		 !feed->current->segment.marks.count);
	*run = (struct record_run){
		.records = feed->current->segment.records.records,
		.count = feed->current->segment.records.count,
		.marks = feed->current->segment.marks.items,
		.mark_count = feed->current->segment.marks.count,
	};
	return 1;
}

size_t segment_feed_repeats(const struct segment_feed *feed)
{
	return feed->repeats;
}

bool segment_feed_is_off(const struct segment_feed *feed)
{
	return feed->jobs ? feed->is_off : record_feed_is_off(feed->own);
}

uint64_t segment_feed_end_ns(const struct segment_feed *feed)
{
	return feed->jobs ? feed->end_ns : record_feed_end_ns(feed->own);
}

void segment_feed_say_states(struct segment_feed *feed)
{
	if (!feed->jobs)
		record_feed_watch(feed->own, JOBS_SEGMENT_BYTES, NO_SYNC);
}

const struct execution_state *
segment_feed_first_state(const struct segment_feed *feed)
{
	const struct slot *slot = feed->current;

	return slot && slot->segment.begin ? &slot->segment.states[0] : NULL;
}

const struct execution_state *segment_feed_pass(struct segment_feed *feed)
{
	const struct execution_state *state = record_feed_state(feed->own, 0);

	record_feed_watch(feed->own, state->position + JOBS_SEGMENT_BYTES,
			  NO_SYNC);
	return state;
}
