/* SPDX-License-Identifier: MIT */
#include "attribution/events/known_events.h"
#include "attribution/interrupts/interrupt_roles_internal.h"
#include "attribution/interrupts/object_tracker_internal.h"
#include "attribution/interrupts/owners_internal.h"
#include "common/maps.h"

#include <stdbool.h>

/* A request for sectors of a device, and its owner. The kernel splits a bio
 * that is too large for one request of the device: it is complete when all of
 * its sectors are complete.
 */
struct bio {
	struct block_range range;
	uint64_t sectors_left;
	/* remapped from another device; its queue event follows */
	bool is_mapped;
	bool is_flush; /* the device's cache is flushed first */
	struct owner *owner;
};

/* Requests to block devices, from the submitter, through devices that remap
 * them to others, to their completion. Exact: the queue event has the task or
 * the interrupt work that submits the bio, and the completion event has the
 * device and the sectors, which identify it.
 */
struct blocks {
	struct owners *owners;
	struct array bios; /* struct bio: in flight, unordered */
	/* the devices of completed requests, which are disks */
	struct number_map disks;
};

static void open_blocks(void *state, struct owners *owners)
{
	*(struct blocks *)state = (struct blocks){
		.owners = owners,
		.bios = ARRAY_OF(struct bio),
	};
}

static void close_blocks(void *state)
{
	struct blocks *blocks = state;
	const struct bio *bios = blocks->bios.items;

	for (size_t i = 0; i < blocks->bios.count; i++)
		owner_drop(blocks->owners, bios[i].owner);
	array_free(&blocks->bios);
	number_map_free(&blocks->disks);
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

/* Returns an owner that is @first or @second, with one reference. */
static struct owner *either(struct owners *owners, struct owner *first,
			    struct owner *second)
{
	struct array shares = ARRAY_OF(struct owner_share);
	struct owner *owner = owner_open(owners);

	owner_shares_add(owners, &shares, first, 1, CERTAIN_INFERRED);
	owner_shares_add(owners, &shares, second, 1, CERTAIN_INFERRED);
	owner_resolve(owners, owner, &shares, CERTAIN_INFERRED);
	owner_shares_free(owners, &shares);
	return owner;
}

/* Adds a bio, whose owner is borrowed. A bio with the same first sector (all
 * flushes have sector 0) may be still in flight, or completed without an event.
 * Which of the two completes first is unknown, so each gets both owners.
 */
static void add_bio(struct blocks *blocks, struct bio bio)
{
	struct bio *slot = find_bio(blocks, bio.range.device, bio.range.sector);
	struct owner *before = slot ? slot->owner : NULL;

	if (before && before != bio.owner)
		bio.owner = either(blocks->owners, before, bio.owner);
	else
		owner_refer(bio.owner);
	if (slot) {
		*slot = bio;
	} else if (array_append(&blocks->bios, &bio) < 0) {
		owners_fail(blocks->owners);
		owner_drop(blocks->owners, bio.owner);
	}
	owner_drop(blocks->owners, before);
}

static bool is_flush(const struct event_context *context)
{
	return (context->event->values[BLOCK_OPERATION] & 0xff) == 'F';
}

static struct bio bio_of(const struct event_context *context)
{
	struct block_range range = block_range_of(context->event);

	return (struct bio){ .range = range,
			     .sectors_left = range.sectors,
			     .is_flush = is_flush(context) };
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
	bio.is_flush = from && from->is_flush;
	add_bio(blocks, bio);
}

/* Completes the sectors of @bio that are in @done; removes it when none is
 * left.
 */
static void finish(struct blocks *blocks, const struct event_context *context,
		   struct bio *bio, const struct block_range *done)
{
	const struct bio *last =
		array_at(&blocks->bios, blocks->bios.count - 1);
	struct owner *owner = bio->owner;
	uint64_t sectors = block_range_common(&bio->range, done);

	event_context_effect(context, owner, sectors ? (double)sectors : 1);
	if (context->slice && interrupt_slice_is_open(context->slice))
		interrupt_slice_focus(context->owners, context->slice, owner);
	bio->sectors_left -= sectors < bio->sectors_left ? sectors :
							   bio->sectors_left;
	if (bio->sectors_left)
		return;
	*bio = *last;
	blocks->bios.count--;
	owner_drop(blocks->owners, owner);
}

/* Completes the bios that the completed range contains; @disks: as for
 * block_range_is_done(). Returns their number.
 */
static size_t complete_matching(struct blocks *blocks,
				const struct event_context *context,
				const struct number_map *disks)
{
	const struct block_range done = block_range_of(context->event);
	size_t count = 0;

	for (size_t i = blocks->bios.count; i-- > 0;) {
		struct bio *bio = array_at(&blocks->bios, i);

		if (!block_range_is_done(&bio->range, &done, disks))
			continue;
		finish(blocks, context, bio, &done);
		count++;
	}
	return count;
}

/* Handles the completion of a flush, a request of the kernel's own without
 * sectors: it is for all bios that wait for a flush of that disk.
 */
static void complete_flush(const struct blocks *blocks,
			   const struct event_context *context)
{
	const struct block_range done = block_range_of(context->event);
	struct interrupt_slice *slice = context->slice;
	const struct bio *bios = blocks->bios.items;

	for (size_t i = 0; i < blocks->bios.count; i++)
		if (bios[i].is_flush && slice &&
		    interrupt_slice_is_open(slice) &&
		    bios[i].range.device == done.device)
			owner_shares_add(context->owners, &slice->effects,
					 bios[i].owner, 1, CERTAIN_INFERRED);
}

static void complete(struct blocks *blocks, const struct event_context *context)
{
	const struct event_record *event = context->event;

	if (event->event == EVENT_REQUEST_COMPLETE &&
	    !number_map_add(&blocks->disks,
			    (uint64_t)event->values[BLOCK_DEVICE]))
		owners_fail(blocks->owners);
	if (!complete_matching(blocks, context, NULL) &&
	    !complete_matching(blocks, context, &blocks->disks) &&
	    is_flush(context))
		complete_flush(blocks, context);
}

static void blocks_event(void *state, const struct event_context *context)
{
	const enum known_event kind = context->event->event;

	if (kind == EVENT_BIO_QUEUE)
		queue(state, context);
	else if (kind == EVENT_BIO_REMAP)
		map(state, context);
	else if (kind == EVENT_BIO_COMPLETE || kind == EVENT_REQUEST_COMPLETE)
		complete(state, context);
}

const struct object_tracker track_blocks = {
	.state_bytes = sizeof(struct blocks),
	.open = open_blocks,
	.close = close_blocks,
	.event = blocks_event,
};

/* Writeback, from the processes that make pages dirty to the kworker that
 * writes them.
 *
 * The work item of a device is queued by the process that makes its first page
 * dirty, by sync(2), or by the item itself: none of these events shows whose
 * pages the item writes. The tracker counts the pages that each process has
 * made dirty and that have not been written since. The trace has neither the
 * page nor its file. So a page that the kernel writes is subtracted from all
 * processes in proportion; a page that a process writes or drops is subtracted
 * from its own count. The shares are inferred.
 *
 * Invariant: every share belongs to a known process or nobody, so that memory
 * grows with processes only.
 */
/* An open work item that writes back. */
struct writing {
	uint64_t slice; /* slice_span.serial */
	/* struct owner_share: weight in pages that it has written so far */
	struct array pages;
};

struct writeback {
	struct owners *owners;
	struct array dirty;   /* struct owner_share: weight in pages */
	struct array writing; /* struct writing */
};

static void open_writeback(void *state, struct owners *owners)
{
	*(struct writeback *)state = (struct writeback){
		.owners = owners,
		.dirty = ARRAY_OF(struct owner_share),
		.writing = ARRAY_OF(struct writing),
	};
}

static void remove_writing(struct writeback *writeback, size_t index)
{
	struct writing *writing = array_at(&writeback->writing, index);

	owner_shares_free(writeback->owners, &writing->pages);
	array_remove(&writeback->writing, index, 1);
}

static void close_writeback(void *state)
{
	struct writeback *writeback = state;

	owner_shares_free(writeback->owners, &writeback->dirty);
	while (writeback->writing.count)
		remove_writing(writeback, 0);
	array_free(&writeback->writing);
}

/* Returns the running process, or nobody within interrupt work. */
static struct owner *process_of(const struct event_context *context)
{
	return event_context_is_task(context) ? event_context_owner(context) :
						owner_nobody(context->owners);
}

static struct owner_share *find(const struct writeback *writeback,
				const struct owner *owner)
{
	struct owner_share *shares = writeback->dirty.items;

	for (size_t i = 0; i < writeback->dirty.count; i++)
		if (shares[i].owner == owner)
			return &shares[i];
	return NULL;
}

/* Subtracts one page from all processes in proportion to their counts. */
static void clean_any(struct writeback *writeback)
{
	struct owner_share *shares = writeback->dirty.items;
	double pages = 0;

	for (size_t i = 0; i < writeback->dirty.count; i++)
		pages += shares[i].weight;
	if (pages <= 1) {
		owner_shares_free(writeback->owners, &writeback->dirty);
		writeback->dirty = ARRAY_OF(struct owner_share);
		return;
	}
	for (size_t i = 0; i < writeback->dirty.count; i++)
		shares[i].weight *= (pages - 1) / pages;
}

/* Subtracts one page, or what is left, from @own. */
static void clean_own(struct writeback *writeback, struct owner_share *own)
{
	const struct owner_share *last =
		array_at(&writeback->dirty, writeback->dirty.count - 1);

	own->weight--;
	if (own->weight > 0)
		return;
	owner_drop(writeback->owners, own->owner);
	*own = *last;
	writeback->dirty.count--;
}

/* Returns the index of the work item @slice in writing, or their number. */
static size_t index_of(const struct writeback *writeback,
		       const struct interrupt_slice *slice)
{
	const struct writing *items = writeback->writing.items;
	size_t i = 0;

	while (i < writeback->writing.count &&
	       (!slice || items[i].slice != slice->span.serial))
		i++;
	return i;
}

/* Adds the page that the work item writes now to its pages: no event shows whose
 * it is.
 */
static void add_page(struct writeback *writeback, struct writing *writing)
{
	const struct owner_share *shares = writeback->dirty.items;
	double pages = 0;

	for (size_t i = 0; i < writeback->dirty.count; i++)
		pages += shares[i].weight;
	for (size_t i = 0; i < writeback->dirty.count; i++)
		owner_shares_add(writeback->owners, &writing->pages,
				 shares[i].owner, shares[i].weight / pages,
				 CERTAIN_INFERRED);
}

static void clean(struct writeback *writeback,
		  const struct event_context *context)
{
	struct owner_share *own = find(writeback, process_of(context));
	size_t index = index_of(writeback, context->slice);

	if (index < writeback->writing.count)
		add_page(writeback, array_at(&writeback->writing, index));
	if (event_context_is_task(context) && own)
		clean_own(writeback, own);
	else
		clean_any(writeback);
}

static void role(void *state, const struct event_context *context,
		 enum interrupt_role role, bool has_ended)
{
	struct writeback *writeback = state;

	if (has_ended)
		return;
	if (role == ROLE_DIRTIES)
		owner_shares_add(context->owners, &writeback->dirty,
				 process_of(context), 1, CERTAIN_INFERRED);
	else if (role == ROLE_CLEANS)
		clean(writeback, context);
}

/* Sets the owner of a work item that writes back dirty pages, open until it ends.
 */
static void writeback_event(void *state, const struct event_context *context)
{
	struct writeback *writeback = state;
	struct interrupt_slice *slice = context->slice;
	struct writing writing = { .pages = ARRAY_OF(struct owner_share) };
	struct owner *writers;

	if (context->event->event != EVENT_WORK_BEGIN || !slice ||
	    slice->kind != INTERRUPT_WORK ||
	    interrupt_role_service(context->roles, slice->function) !=
		    SERVES_WRITERS)
		return;
	writing.slice = slice->span.serial;
	writers = owner_open(context->owners);
	if (!slice->owner && array_append(&writeback->writing, &writing) < 0)
		owners_fail(context->owners);
	interrupt_slice_own(slice, writers, CERTAIN_INFERRED);
	owner_drop(context->owners, writers);
}

/* Resolves the owner of a work item: the writers of its pages; without any, of
 * all dirty pages, or nobody if none is known.
 */
static void writeback_end(void *state, const struct event_context *context)
{
	struct writeback *writeback = state;
	size_t index = index_of(writeback, context->slice);
	const struct writing *writing;

	if (index == writeback->writing.count)
		return;
	writing = array_at(&writeback->writing, index);
	owner_resolve(context->owners, context->slice->owner,
		      writing->pages.count ? &writing->pages :
					     &writeback->dirty,
		      CERTAIN_INFERRED);
	remove_writing(writeback, index);
}

const struct object_tracker track_writeback = {
	.state_bytes = sizeof(struct writeback),
	.open = open_writeback,
	.close = close_writeback,
	.event = writeback_event,
	.end = writeback_end,
	.role = role,
};
