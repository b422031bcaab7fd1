/* SPDX-License-Identifier: MIT */
#include "attribution/events/block_range.h"
#include "attribution/interrupts/object_tracker.h"

#include <stdbool.h>

/* A request of a task for sectors of a device, and for whom it is. */
struct bio {
	struct block_range range;
	bool is_mapped; /* another device's, about to be queued here */
	struct owner *owner;
};

/* Requests to block devices, from who makes them, through devices that hand
 * them on to others, to their completion.
 */
struct blocks {
	struct owners *owners;
	struct array bios; /* struct bio: in flight, in no order */
};

static void open_blocks(void *state, struct owners *owners)
{
	*(struct blocks *)state =
		(struct blocks){ owners, ARRAY_OF(struct bio) };
}

static void close_blocks(void *state)
{
	struct blocks *blocks = state;
	const struct bio *bios = blocks->bios.items;

	for (size_t i = 0; i < blocks->bios.count; i++)
		owner_drop(blocks->owners, bios[i].owner);
	array_free(&blocks->bios);
}

static struct bio *find_bio(const struct blocks *blocks, uint64_t device,
			    uint64_t sector)
{
	struct bio *bios = blocks->bios.items;

	for (size_t i = 0; i < blocks->bios.count; i++)
		if (bios[i].range.device == device &&
		    bios[i].range.sector == sector)
			return &bios[i];
	return NULL;
}

/* Notes a bio, in place of an old one that was never seen to complete. */
static void add_bio(struct blocks *blocks, struct bio bio)
{
	struct bio *slot = find_bio(blocks, bio.range.device, bio.range.sector);
	struct owner *before = slot ? slot->owner : NULL;

	owner_refer(bio.owner);
	if (slot) {
		*slot = bio;
	} else if (array_append(&blocks->bios, &bio) < 0) {
		owners_fail(blocks->owners);
		owner_drop(blocks->owners, bio.owner);
	}
	owner_drop(blocks->owners, before);
}

static struct bio bio_of(const struct event_context *context)
{
	return (struct bio){ .range = block_range_of(context->event) };
}

static void queue(struct blocks *blocks, const struct event_context *context)
{
	struct bio bio = bio_of(context);
	struct bio *known =
		find_bio(blocks, bio.range.device, bio.range.sector);

	if (known && known->is_mapped) {
		known->is_mapped = false;
		return;
	}
	bio.owner = event_context_owner(context);
	add_bio(blocks, bio);
}

static void map(struct blocks *blocks, const struct event_context *context)
{
	const int64_t *values = context->event->values;
	const struct bio *from = find_bio(blocks,
					  (uint64_t)values[BLOCK_OLD_DEVICE],
					  (uint64_t)values[BLOCK_OLD_SECTOR]);
	struct bio bio = bio_of(context);

	bio.owner = from ? from->owner : event_context_owner(context);
	bio.is_mapped = true;
	add_bio(blocks, bio);
}

static void finish(struct blocks *blocks, const struct event_context *context,
		   struct bio *bio)
{
	const struct bio *last =
		array_at(&blocks->bios, blocks->bios.count - 1);
	struct owner *owner = bio->owner;
	double weight = bio->range.sectors ? (double)bio->range.sectors : 1;

	event_context_effect(context, owner, weight);
	if (context->slice && interrupt_slice_is_open(context->slice))
		interrupt_slice_focus(context->owners, context->slice, owner);
	*bio = *last;
	blocks->bios.count--;
	owner_drop(blocks->owners, owner);
}

static size_t complete_matching(struct blocks *blocks,
				const struct event_context *context, bool exact)
{
	const struct block_range done = block_range_of(context->event);
	size_t count = 0;

	for (size_t i = blocks->bios.count; i-- > 0;) {
		struct bio *bio = array_at(&blocks->bios, i);

		if (!block_range_is_done(&bio->range, &done, exact))
			continue;
		finish(blocks, context, bio);
		count++;
	}
	return count;
}

static void event(void *state, const struct event_context *context)
{
	const enum known_event kind = context->event->event;

	if (kind == EVENT_BIO_QUEUE)
		queue(state, context);
	else if (kind == EVENT_BIO_REMAP)
		map(state, context);
	else if (kind == EVENT_BIO_COMPLETE || kind == EVENT_REQUEST_COMPLETE)
		if (!complete_matching(state, context, true))
			complete_matching(state, context, false);
}

const struct object_tracker track_blocks = {
	.state_bytes = sizeof(struct blocks),
	.open = open_blocks,
	.close = close_blocks,
	.event = event,
};
