/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/object_tracker.h"

#include <stdbool.h>
#include <stdlib.h>

/* A request of a task for sectors of a device, and for whom it is. */
struct bio {
	uint64_t device;
	uint64_t sector;
	uint64_t sectors;
	bool is_mapped; /* another device's, about to be queued here */
	struct claim *claim;
};

/* Requests to block devices, from who makes them, through devices that hand
 * them on to others, to their completion.
 */
struct blocks {
	struct claims *claims;
	struct array bios; /* struct bio: in flight, in no order */
};

static void *open_blocks(struct claims *claims)
{
	struct blocks *blocks = calloc(1, sizeof(*blocks));

	if (!blocks)
		return NULL;
	blocks->claims = claims;
	blocks->bios = ARRAY_OF(struct bio);
	return blocks;
}

static void close_blocks(void *state)
{
	struct blocks *blocks = state;
	const struct bio *bios = blocks->bios.items;

	for (size_t i = 0; i < blocks->bios.count; i++)
		claim_drop(blocks->claims, bios[i].claim);
	array_free(&blocks->bios);
	free(blocks);
}

static struct bio *find_bio(const struct blocks *blocks, uint64_t device,
			    uint64_t sector)
{
	struct bio *bios = blocks->bios.items;

	for (size_t i = 0; i < blocks->bios.count; i++)
		if (bios[i].device == device && bios[i].sector == sector)
			return &bios[i];
	return NULL;
}

/* Notes a bio, in place of an old one that was never seen to complete. */
static void add_bio(struct blocks *blocks, struct bio bio)
{
	struct bio *slot = find_bio(blocks, bio.device, bio.sector);
	struct claim *before = slot ? slot->claim : NULL;

	claim_refer(bio.claim);
	if (!slot)
		slot = array_add(&blocks->bios);
	if (slot) {
		*slot = bio;
	} else {
		claims_fail(blocks->claims);
		claim_drop(blocks->claims, bio.claim);
	}
	claim_drop(blocks->claims, before);
}

static struct bio bio_of(const struct moment *moment)
{
	const int64_t *values = moment->event->values;

	return (struct bio){
		.device = (uint64_t)values[BLOCK_DEVICE],
		.sector = (uint64_t)values[BLOCK_SECTOR],
		.sectors = (uint64_t)values[BLOCK_SECTORS],
	};
}

static void queue(struct blocks *blocks, const struct moment *moment)
{
	struct bio bio = bio_of(moment);
	struct bio *known = find_bio(blocks, bio.device, bio.sector);

	if (known && known->is_mapped) {
		known->is_mapped = false;
		return;
	}
	bio.claim = moment_claim(moment);
	add_bio(blocks, bio);
}

static void map(struct blocks *blocks, const struct moment *moment)
{
	const int64_t *values = moment->event->values;
	const struct bio *from = find_bio(blocks,
					  (uint64_t)values[BLOCK_OLD_DEVICE],
					  (uint64_t)values[BLOCK_OLD_SECTOR]);
	struct bio bio = bio_of(moment);

	bio.claim = from ? from->claim : moment_claim(moment);
	bio.is_mapped = true;
	add_bio(blocks, bio);
}

/* Requests bear the disk's number, bios that of its partition. */
static bool is_of_disk(const struct bio *bio, uint64_t device)
{
	enum { MINOR_BITS = 20 }; /* include/linux/kdev_t.h */

	return bio->device >> MINOR_BITS == device >> MINOR_BITS;
}

/* A flush has no sectors. */
static bool overlaps(const struct bio *bio, const struct bio *done)
{
	if (!bio->sectors || !done->sectors)
		return bio->sector == done->sector;
	return bio->sector < done->sector + done->sectors &&
	       done->sector < bio->sector + bio->sectors;
}

static bool is_done(const struct bio *bio, const struct bio *done, bool exact)
{
	return overlaps(bio, done) && (exact ? bio->device == done->device :
					       is_of_disk(bio, done->device));
}

static void finish(struct blocks *blocks, const struct moment *moment,
		   struct bio *bio)
{
	const struct bio *last =
		array_at(&blocks->bios, blocks->bios.count - 1);
	struct claim *claim = bio->claim;
	double weight = bio->sectors ? (double)bio->sectors : 1;

	moment_effect(moment, claim, weight);
	if (moment->piece && interrupt_piece_is_open(moment->piece))
		interrupt_piece_focus(moment->claims, moment->piece, claim);
	*bio = *last;
	blocks->bios.count--;
	claim_drop(blocks->claims, claim);
}

static size_t complete_matching(struct blocks *blocks,
				const struct moment *moment, bool exact)
{
	const struct bio done = bio_of(moment);
	size_t count = 0;

	for (size_t i = blocks->bios.count; i-- > 0;) {
		struct bio *bio = array_at(&blocks->bios, i);

		if (!is_done(bio, &done, exact))
			continue;
		finish(blocks, moment, bio);
		count++;
	}
	return count;
}

static void event(void *state, const struct moment *moment)
{
	const enum known_event kind = moment->event->event;

	if (kind == EVENT_BIO_QUEUE)
		queue(state, moment);
	else if (kind == EVENT_BIO_REMAP)
		map(state, moment);
	else if (kind == EVENT_BIO_COMPLETE || kind == EVENT_REQUEST_COMPLETE)
		if (!complete_matching(state, moment, true))
			complete_matching(state, moment, false);
}

const struct object_tracker track_blocks = {
	.open = open_blocks,
	.close = close_blocks,
	.event = event,
};
