/* SPDX-License-Identifier: MIT */
#include "execution/stream/segment_ring.h"

#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "execution/follow/record_feed.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Three parts: jobs, the limit on threads that decode at once, over all
 * streams; the buffers of segments; and the ring, a window of segments in the
 * order of the stream.
 *
 *	waiting ─► being decoded ─► finished ─► consumed ─► waiting again
 *
 * A thread decodes a segment from a little before its first sync point, with
 * all state unknown, to the sync point that ends it; it appends only the
 * records between the two. The consumer (segment_feed.c) compares the states at
 * each border: if they differ, the segment is decoded again from the state of
 * the segment before.
 */

struct jobs {
	unsigned int count;
	uint64_t segment_bytes;
	sem_t free;
};

struct jobs *jobs_new(unsigned int count)
{
	struct jobs *jobs = calloc(1, sizeof(*jobs));

	if (!jobs)
		return NULL;
	jobs->count = count;
	jobs->segment_bytes = JOBS_SEGMENT_BYTES;
	if (sem_init(&jobs->free, 0, count) < 0) {
		free(jobs);
		return NULL;
	}
	return jobs;
}

void jobs_free(struct jobs *jobs)
{
	if (!jobs)
		return;
	sem_destroy(&jobs->free);
	free(jobs);
}

unsigned int jobs_count(const struct jobs *jobs)
{
	return jobs->count;
}

uint64_t jobs_segment_bytes(const struct jobs *jobs)
{
	return jobs->segment_bytes;
}

void jobs_set_segment_bytes(struct jobs *jobs, uint64_t bytes)
{
	jobs->segment_bytes = bytes;
}

bool jobs_are_worth_it(const struct jobs *jobs, uint64_t bytes)
{
	enum { LEAST_SEGMENTS = 4 };

	return jobs->count > 1 && bytes >= LEAST_SEGMENTS * jobs->segment_bytes;
}

/* Waits until fewer than jobs_count() threads are between jobs_begin() and
 * jobs_end(). Both must be called around decoding.
 */
static void jobs_begin(struct jobs *jobs)
{
	/* sem_wait() only fails if a signal handler ran. */
	while (sem_wait(&jobs->free) < 0)
		;
}

static void jobs_end(struct jobs *jobs)
{
	sem_post(&jobs->free);
}

/* 4 MB are enough for most segments. */
enum { LEAST_ROOM = 1 << 17 };

static size_t bytes_of(size_t records)
{
	return records * sizeof(union timed_record);
}

static void *map_pages(struct record_buffer *buffer, size_t room)
{
	if (buffer->room)
		return mremap(buffer->records, bytes_of(buffer->room),
			      bytes_of(room), MREMAP_MAYMOVE);
	return mmap(NULL, bytes_of(room), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int grow(struct record_buffer *buffer, size_t count)
{
	size_t room = buffer->room ? buffer->room : LEAST_ROOM;
	void *pages;

	while (room < count)
		room *= 2;
	pages = map_pages(buffer, room);
	if (pages == MAP_FAILED)
		return -ERROR_MEMORY;
	/* Large pages are faulted in faster, but are not necessary. */
	madvise(pages, bytes_of(room), MADV_HUGEPAGE);
	buffer->records = pages;
	buffer->room = room;
	return 0;
}

/* Ensures room for @more records after the present ones, which may move.
 * Returns the address of the first free one, or NULL when out of memory.
 */
static union timed_record *record_buffer_room(struct record_buffer *buffer,
					      size_t more)
{
	if (buffer->count + more > buffer->room &&
	    grow(buffer, buffer->count + more) < 0)
		return NULL;
	return buffer->records + buffer->count;
}

/* Frees the memory; the buffer is then zeroed, which is a valid empty one. */
static void record_buffer_free(struct record_buffer *buffer)
{
	if (buffer->room)
		munmap(buffer->records, bytes_of(buffer->room));
	*buffer = (struct record_buffer){ 0 };
}

static void segment_init(struct segment *segment)
{
	*segment = (struct segment){
		.marks = ARRAY_OF(struct event_mark),
	};
}

static void segment_free(struct segment *segment)
{
	record_buffer_free(&segment->records);
	array_free(&segment->marks);
}

static int add_mark(struct segment *segment, const struct event_mark *from)
{
	struct event_mark *mark = array_add(&segment->marks);

	if (!mark)
		return -ERROR_MEMORY;
	*mark = *from;
	mark->index = (uint32_t)segment->records.count;
	return 0;
}

/* Consumes the state at a watched sync point. */
static void pass(struct segment *segment, const struct record_feed *feed)
{
	const struct execution_state *state =
		record_feed_state(feed, segment->passed++);

	segment->states[segment->has_begin] = *state;
	segment->has_end = segment->has_begin;
	segment->has_begin = true;
}

static int consume_mark(struct segment *segment, const struct record_feed *feed,
			const struct event_mark *mark)
{
	if (mark->kind == MARK_SYNC)
		pass(segment, feed);
	else if (segment->has_begin)
		return add_mark(segment, mark);
	return 0;
}

/* Appends @count records, which are at the end of the buffer already, or a
 * little after it.
 */
static void keep(struct segment *segment, const union timed_record *records,
		 size_t count)
{
	struct record_buffer *buffer = &segment->records;
	union timed_record *room = buffer->records + buffer->count;

	if (records != room)
		memmove(room, records, count * sizeof(*records));
	buffer->count += count;
}

/* Appends the part of @run that is between the two sync points. */
static int consume(struct segment *segment, const struct record_feed *feed,
		   const struct record_run *run)
{
	size_t at = 0;

	for (size_t i = 0; i <= run->mark_count && !segment->has_end; i++) {
		bool is_mark = i < run->mark_count;
		size_t next = is_mark ? run->marks[i].index : run->count;

		if (segment->has_begin)
			keep(segment, run->records + at, next - at);
		at = next;
		if (is_mark && consume_mark(segment, feed, &run->marks[i]) < 0)
			return -ERROR_MEMORY;
	}
	return 0;
}

/* Reads the next records of @feed, into the free room of the segment's buffer.
 */
static int next_records(struct segment *segment, struct record_feed *feed,
			struct record_run *run)
{
	union timed_record *room =
		record_buffer_room(&segment->records, EVENT_TIMES_ROOM);

	return room ? record_feed_next_in(feed, room, run) : -ERROR_MEMORY;
}

static int decode(struct segment *segment, struct record_feed *feed)
{
	struct record_run run;
	int status = 1;

	segment->records.count = 0;
	segment->marks.count = 0;
	segment->passed = segment->has_begin;
	segment->has_end = false;
	while (!segment->has_end &&
	       (status = next_records(segment, feed, &run)) > 0) {
		status = consume(segment, feed, &run);
		if (status < 0)
			return status;
	}
	segment->is_off = record_feed_is_off(feed);
	segment->end_ns = record_feed_end_ns(feed);
	return status < 0 ? status : 0;
}

/* Decodes the records of @segment, starting a little earlier with all state
 * unknown.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int segment_decode(struct segment *segment, struct record_feed *feed)
{
	int status = 0;

	segment->has_begin = !segment->begin;
	if (segment->begin)
		status = record_feed_begin(feed, segment->begin, segment->rate);
	if (status < 0)
		return status;
	if (segment->has_begin)
		record_feed_watch_end(feed, segment->end);
	else
		record_feed_watch(feed, segment->begin, segment->end);
	return decode(segment, feed);
}

int segment_decode_from(struct segment *segment, struct record_feed *feed,
			const struct execution_state *state)
{
	int status = record_feed_resume(feed, state);

	if (status < 0)
		return status;
	segment->states[0] = *state;
	segment->has_begin = true;
	record_feed_watch_end(feed, segment->end);
	return decode(segment, feed);
}

enum slot_state { SLOT_WAITING, SLOT_TAKEN, SLOT_DONE };

struct slot {
	struct interval interval;
	uint8_t state; /* enum slot_state */
	int status;    /* result, once it is done */
	struct segment segment;
};

struct segment_ring {
	struct flow_input input;
	const struct symbols *symbols;
	bool lists_blocks;
	struct jobs *jobs;

	pthread_mutex_t lock; /* protects all fields below */
	pthread_cond_t changed;
	pthread_t *threads;
	unsigned int thread_count;
	struct slot *slots;
	unsigned int slot_count;
	unsigned int first; /* index of the oldest interval's slot */
	unsigned int used;
	bool is_closing;
};

static struct slot *slot_at(const struct segment_ring *ring, unsigned int index)
{
	return &ring->slots[(ring->first + index) % ring->slot_count];
}

static struct slot *find_waiting(const struct segment_ring *ring)
{
	for (unsigned int i = 0; i < ring->used; i++)
		if (slot_at(ring, i)->state == SLOT_WAITING)
			return slot_at(ring, i);
	return NULL;
}

/* Waits for a segment to decode and takes it. Returns NULL when the thread must
 * end.
 */
static struct slot *consume_slot(struct segment_ring *ring)
{
	struct slot *slot = NULL;

	pthread_mutex_lock(&ring->lock);
	while (!ring->is_closing && !(slot = find_waiting(ring)))
		pthread_cond_wait(&ring->changed, &ring->lock);
	if (ring->is_closing)
		slot = NULL;
	else
		slot->state = SLOT_TAKEN;
	pthread_mutex_unlock(&ring->lock);
	return slot;
}

static void finish_slot(struct segment_ring *ring, struct slot *slot,
			int status)
{
	pthread_mutex_lock(&ring->lock);
	slot->status = status;
	slot->state = SLOT_DONE;
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->lock);
}

static void *work(void *ctx)
{
	struct segment_ring *ring = ctx;
	struct record_feed *records = NULL;
	int opened = record_feed_open(&ring->input, ring->symbols,
				      ring->lists_blocks, &records);
	struct slot *slot;

	while ((slot = consume_slot(ring))) {
		int status = opened;

		jobs_begin(ring->jobs);
		if (!status)
			status = segment_decode(&slot->segment, records);
		jobs_end(ring->jobs);
		finish_slot(ring, slot, status);
	}
	record_feed_close(records);
	return NULL;
}

static int start_threads(struct segment_ring *ring, unsigned int count)
{
	/* One slot for each thread, and one for the consumer. */
	ring->slot_count = count + 1;
	ring->slots = calloc(ring->slot_count, sizeof(*ring->slots));
	ring->threads = calloc(count, sizeof(*ring->threads));
	if (!ring->slots || !ring->threads)
		return -ERROR_MEMORY;
	for (unsigned int i = 0; i < ring->slot_count; i++)
		segment_init(&ring->slots[i].segment);
	for (; ring->thread_count < count; ring->thread_count++)
		if (pthread_create(&ring->threads[ring->thread_count], NULL,
				   work, ring))
			break;
	return ring->thread_count ? 0 : -ERROR_SYSTEM;
}

int segment_ring_open(const struct flow_input *input,
		      const struct symbols *symbols, bool lists_blocks,
		      struct jobs *jobs, unsigned int count,
		      struct segment_ring **opened)
{
	struct segment_ring *ring = calloc(1, sizeof(*ring));
	int status;

	if (!ring)
		return -ERROR_MEMORY;
	pthread_mutex_init(&ring->lock, NULL);
	pthread_cond_init(&ring->changed, NULL);
	ring->input = *input;
	ring->symbols = symbols;
	ring->lists_blocks = lists_blocks;
	ring->jobs = jobs;
	status = start_threads(ring, count);
	if (status < 0)
		segment_ring_close(ring);
	else
		*opened = ring;
	return status;
}

void segment_ring_close(struct segment_ring *ring)
{
	if (!ring)
		return;
	pthread_mutex_lock(&ring->lock);
	ring->is_closing = true;
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->lock);
	for (unsigned int i = 0; i < ring->thread_count; i++)
		pthread_join(ring->threads[i], NULL);
	for (unsigned int i = 0; ring->slots && i < ring->slot_count; i++)
		segment_free(&ring->slots[i].segment);
	free(ring->slots);
	free(ring->threads);
	pthread_cond_destroy(&ring->changed);
	pthread_mutex_destroy(&ring->lock);
	free(ring);
}

bool segment_ring_has_room(const struct segment_ring *ring)
{
	return ring->used < ring->slot_count;
}

void segment_ring_add(struct segment_ring *ring,
		      const struct interval *interval, uint64_t rate)
{
	struct slot *slot;

	pthread_mutex_lock(&ring->lock);
	slot = slot_at(ring, ring->used++);
	slot->interval = *interval;
	slot->segment.begin = interval->middle;
	slot->segment.end = interval->end;
	slot->segment.rate = rate;
	slot->status = 0;
	slot->state = interval->middle == interval->end ? SLOT_DONE :
							  SLOT_WAITING;
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->lock);
}

const struct interval *segment_ring_first(const struct segment_ring *ring)
{
	return ring->used ? &slot_at(ring, 0)->interval : NULL;
}

static enum ring_lead lead_of(const struct segment_ring *ring)
{
	if (slot_at(ring, 0)->state != SLOT_DONE)
		return RING_LATE;
	for (unsigned int i = 1; i < ring->used; i++)
		if (slot_at(ring, i)->state != SLOT_DONE)
			return RING_AHEAD;
	return RING_DONE;
}

int segment_ring_await(struct segment_ring *ring, struct segment **segment,
		       enum ring_lead *lead)
{
	struct slot *slot = slot_at(ring, 0);

	pthread_mutex_lock(&ring->lock);
	*lead = lead_of(ring);
	while (slot->state != SLOT_DONE)
		pthread_cond_wait(&ring->changed, &ring->lock);
	pthread_mutex_unlock(&ring->lock);
	*segment = &slot->segment;
	return slot->status;
}

void segment_ring_drop(struct segment_ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	ring->first = (ring->first + 1) % ring->slot_count;
	ring->used--;
	pthread_mutex_unlock(&ring->lock);
}
