/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_branches.h"
#include "decoder/coresight/coresight_branch_kinds.h"
#include "decoder/coresight/coresight_feed.h"
#include "decoder/coresight/coresight_fields.h"
#include "decoder/flow/flow.h"
#include "decoder/recording/recording.h"

#include <string.h>

enum {
	MOST_ATOMS = 64,
	BEGIN_BYTES = 32,
};

static struct coresight_atoms reversed(struct coresight_atoms atoms)
{
	struct coresight_atoms turned = { 0, atoms.count };

	for (unsigned int i = 0; i < atoms.count; i++)
		turned.executed = turned.executed << 1 |
				  (atoms.executed >> i & 1);
	return turned;
}

void coresight_branches_init(struct coresight_branches *b,
			     const struct coresight_feed *feed)
{
	*b = (struct coresight_branches){ .feed = feed };
	for (unsigned int i = CORESIGHT_PACKET_FIRST_ATOMS; i <= UINT8_MAX; i++)
		b->atoms[i] = reversed(coresight_atoms_of((uint8_t)i));
}

void coresight_branches_free(struct coresight_branches *b)
{
	branch_list_free(&b->list);
}

uint64_t coresight_branches_position(const struct coresight_branches *b)
{
	return coresight_feed_place(b->feed, b->index);
}

/* A few bytes after a synchronization packet contain the CPU's position.
 * Everything before them was skipped.
 */
static void end_wait(struct coresight_branches *b, uint64_t index)
{
	struct trace_branch *gap;

	b->is_new = false;
	if (coresight_feed_since_sync(b->feed, index) <= BEGIN_BYTES)
		return;
	gap = branch_list_add(&b->list, TRACE_GAP, b->feed->session_start);
	gap->count = FLOW_GAP_UNSYNCED;
}

struct trace_branch *coresight_branches_say(struct coresight_branches *b,
					    uint8_t kind)
{
	if (b->is_new)
		end_wait(b, b->index);
	return branch_list_add(&b->list, kind, coresight_branches_position(b));
}

void coresight_branches_reset(struct coresight_branches *b)
{
	b->unit = b->feed->unit;
	b->list.count = b->list.committed;
	b->group_next = UINT64_MAX;
	coresight_packet_begin(&b->packet, b->unit);
	b->state = CORESIGHT_BRANCHES_LOST;
	b->needs_context = true;
	b->awaits_address = false;
	b->was_discarded = false;
	b->had_overflow = false;
	b->addresses = (struct coresight_addresses){ 0 };
}

void coresight_branches_restart(struct coresight_branches *b)
{
	branch_list_restart(&b->list, coresight_feed_position(b->feed));
}

void coresight_branches_finish(struct coresight_branches *b)
{
	branch_list_finish(&b->list);
	if (b->is_new)
		end_wait(b, b->feed->call_index);
	branch_list_commit(&b->list);
}

void coresight_branches_drop(struct coresight_branches *b)
{
	branch_list_drop(&b->list, coresight_feed_position(b->feed));
	b->group_next = UINT64_MAX;
}

/* The unit's own buffer was full: the gap starts at the following packet. */
static void say_discard(struct coresight_branches *b)
{
	b->was_discarded = false;
	branch_list_add(&b->list, TRACE_GAP, coresight_branches_position(b))
		->count = FLOW_GAP_OVERFLOW;
	branch_list_commit(&b->list);
}

static bool take_packet(struct coresight_branches *b)
{
	uint8_t kind = b->packet.kind;

	b->group_next = UINT64_MAX;
	if (b->was_discarded)
		say_discard(b);
	if (b->awaits_address && !coresight_may_precede_address(kind))
		return false;
	if (b->state != CORESIGHT_BRANCHES_READ &&
	    kind != CORESIGHT_PACKET_EXTENSION &&
	    (kind != CORESIGHT_PACKET_TRACE_INFO ||
	     b->state == CORESIGHT_BRANCHES_LOST))
		return true;
	return coresight_branch_kinds[kind](b);
}

/* An atom packet right after another extends the same branch: positions are
 * then a byte apart, except in frames.
 */
static inline void take_atoms(struct coresight_branches *b, uint64_t index,
			      uint8_t header)
{
	const struct coresight_atoms atoms = b->atoms[header];
	struct trace_branch *branch = NULL;

	if (b->needs_context)
		return;
	if (index == b->group_next)
		branch = &b->list.branches[b->list.count - 1];
	if (!branch || branch->count + atoms.count > MOST_ATOMS) {
		b->index = index;
		branch = coresight_branches_say(b, TRACE_ATOMS);
	}
	branch->payload = branch->payload << atoms.count | atoms.executed;
	branch->low = branch->low << atoms.count | UINT64_C(1)
							   << (atoms.count - 1);
	branch->count += atoms.count;
	b->group_next = UINT64_MAX;
	if (!b->feed->window.piece->is_formatted && !b->list.has_failed)
		b->group_next = index + 1;
	branch_list_commit(&b->list);
}

static bool take_bytes(struct coresight_branches *b, const uint8_t *bytes,
		       size_t size)
{
	if (size > sizeof(b->bytes) - b->size)
		return false;
	memcpy(b->bytes + b->size, bytes, size);
	b->size += (uint8_t)size;
	return b->packet.is_open || take_packet(b);
}

static inline bool is_quick(const struct coresight_branches *b, uint8_t byte)
{
	return byte >= CORESIGHT_PACKET_FIRST_ATOMS && !b->packet.is_open &&
	       b->state == CORESIGHT_BRANCHES_READ && !b->awaits_address;
}

size_t coresight_branches_take(struct coresight_branches *b, uint64_t index,
			       const uint8_t *bytes, size_t size)
{
	size_t at = 0;

	while (at < size) {
		size_t taken;

		if (is_quick(b, bytes[at])) {
			take_atoms(b, index + at, bytes[at]);
			at++;
			continue;
		}
		if (!b->packet.is_open) {
			b->index = index + at;
			b->size = 0;
		}
		taken = coresight_packet_take(&b->packet, bytes + at,
					      size - at);
		if (!take_bytes(b, bytes + at, taken)) {
			b->packet.is_open = false;
			return at + taken - (at + taken == size);
		}
		at += taken;
	}
	return size;
}
