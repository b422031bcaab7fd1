/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_queue.h"

struct coresight_entry {
	struct flow_item item;
	struct flow_stamp stamp;
};

struct coresight_queue coresight_queue_new(void)
{
	return (struct coresight_queue){
		.entries = ARRAY_OF(struct coresight_entry),
	};
}

void coresight_queue_free(struct coresight_queue *queue)
{
	array_free(&queue->entries);
}

int coresight_queue_add(struct coresight_queue *queue,
			const struct flow_item *item,
			const struct flow_stamp *stamp)
{
	const struct coresight_entry entry = { *item, *stamp };

	return array_append(&queue->entries, &entry);
}

struct flow_item *coresight_queue_last(const struct coresight_queue *queue)
{
	struct coresight_entry *entry;

	if (!queue->entries.count)
		return NULL;
	entry = array_at(&queue->entries, queue->entries.count - 1);
	return &entry->item;
}

size_t coresight_queue_unresolved(const struct coresight_queue *queue)
{
	return queue->entries.count - queue->resolved;
}

void coresight_queue_resolve(struct coresight_queue *queue)
{
	queue->resolved = queue->entries.count;
}

void coresight_queue_overrun(const struct coresight_queue *queue)
{
	struct coresight_entry *entries = queue->entries.items;

	for (size_t i = queue->resolved; i < queue->entries.count; i++)
		if (entries[i].item.instructions)
			entries[i].stamp.work = FLOW_WORK_UNKNOWN;
}

uint32_t coresight_work(uint64_t cycles)
{
	return cycles < FLOW_WORK_UNKNOWN ? (uint32_t)cycles :
					    FLOW_WORK_UNKNOWN - 1;
}

void coresight_queue_share(struct coresight_queue *queue, uint64_t cycles,
			   uint64_t instructions)
{
	struct coresight_entry *entries = queue->entries.items;
	uint64_t before = 0;
	uint64_t ran = 0;

	for (; queue->resolved < queue->entries.count; queue->resolved++) {
		struct coresight_entry *entry = &entries[queue->resolved];

		ran += entry->item.instructions;
		uint64_t after = cycles * ran / instructions;

		entry->stamp.work = coresight_work(after - before);
		before = after;
	}
}

void coresight_queue_bound(struct coresight_queue *queue, uint64_t high_ns)
{
	struct coresight_entry *entries = queue->entries.items;

	for (; queue->bounded < queue->entries.count; queue->bounded++) {
		struct flow_stamp *stamp = &entries[queue->bounded].stamp;

		if (stamp->high_ns == UINT64_MAX)
			stamp->high_ns = high_ns;
	}
}

bool coresight_queue_is_empty(const struct coresight_queue *queue)
{
	return !queue->entries.count;
}

/* All except the last entry, which later elements may change. */
static size_t finished(const struct coresight_queue *queue, bool is_whole)
{
	size_t count = queue->entries.count;

	if (is_whole || !count)
		return count;
	return queue->resolved < count ? queue->resolved : count - 1;
}

bool coresight_queue_is_ready(const struct coresight_queue *queue,
			      bool is_whole)
{
	return finished(queue, is_whole);
}

static void move(const struct coresight_entry *entry, struct flow_batch *batch)
{
	struct flow_stamp *stamp;

	*flow_batch_next(batch, &stamp) = entry->item;
	*stamp = entry->stamp;
	flow_batch_add(batch);
}

static size_t less(size_t count, size_t done)
{
	return count > done ? count - done : 0;
}

void coresight_queue_drain(struct coresight_queue *queue,
			   struct flow_batch *batch, bool is_whole)
{
	struct coresight_entry *entries = queue->entries.items;
	size_t count = queue->entries.count;
	size_t ready = finished(queue, is_whole);
	size_t done = 0;

	while (done < ready && flow_batch_has_room(batch))
		move(&entries[done++], batch);
	for (size_t i = done; i < count; i++)
		entries[i - done] = entries[i];
	queue->entries.count -= done;
	queue->resolved = less(queue->resolved, done);
	queue->bounded = less(queue->bounded, done);
}
