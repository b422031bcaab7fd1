/* SPDX-License-Identifier: MIT */
#include "execution/stream/segment_ring.h"
#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "execution/follow/record_feed.h"
#include "execution/stream/jobs.h"
#include "execution/stream/segment.h"

#include <pthread.h>
#include <stdlib.h>

enum slot_state { SLOT_WAITING, SLOT_TAKEN, SLOT_DONE };

struct slot {
	struct stretch stretch;
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
static struct slot *take_slot(struct segment_ring *ring)
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

	while ((slot = take_slot(ring))) {
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

void segment_ring_add(struct segment_ring *ring, const struct stretch *stretch,
		      uint64_t rate)
{
	struct slot *slot;

	pthread_mutex_lock(&ring->lock);
	slot = slot_at(ring, ring->used++);
	slot->stretch = *stretch;
	slot->segment.begin = stretch->middle;
	slot->segment.end = stretch->end;
	slot->segment.rate = rate;
	slot->status = 0;
	slot->state = stretch->middle == stretch->end ? SLOT_DONE :
							SLOT_WAITING;
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->lock);
}

const struct stretch *segment_ring_first(const struct segment_ring *ring)
{
	return ring->used ? &slot_at(ring, 0)->stretch : NULL;
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
