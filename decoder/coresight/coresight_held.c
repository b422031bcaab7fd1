/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_held.h"
#include "decoder/coresight/coresight_address.h"

#include <string.h>

static struct coresight_held_packet *packet_at(struct coresight_held *held,
					       size_t index)
{
	return &held->packets[held->first + index];
}

void coresight_held_begin(struct coresight_held *held, size_t depth)
{
	held->depth = depth;
	held->unseen = 0;
	held->elements = 0;
	held->first = 0;
	held->count = 0;
}

struct coresight_held_packet *coresight_held_add(struct coresight_held *held)
{
	struct coresight_held_packet *packet;

	if (held->first + held->count == CORESIGHT_HELD_ROOM) {
		if (!held->first)
			return NULL;
		memmove(held->packets, packet_at(held, 0),
			held->count * sizeof(*held->packets));
		held->first = 0;
	}
	packet = packet_at(held, held->count++);
	*packet = (struct coresight_held_packet){ 0 };
	return packet;
}

bool coresight_held_count(struct coresight_held *held)
{
	held->elements++;
	return held->elements + held->unseen <= held->depth ||
	       coresight_held_commit(held, 1);
}

static bool give_oldest(struct coresight_held *held)
{
	const struct coresight_held_packet *packet = packet_at(held, 0);

	held->elements -= packet->is_element;
	held->first++;
	held->count--;
	return held->callback.give(held->callback.ctx, packet->index,
				   packet->bytes, packet->size);
}

static bool release(struct coresight_held *held, size_t count)
{
	size_t kept = held->elements - count;

	while (held->count &&
	       (!packet_at(held, 0)->is_element || held->elements > kept))
		if (!give_oldest(held))
			return false;
	if (!held->count)
		held->first = 0;
	return true;
}

/* Unseen elements are the oldest. */
bool coresight_held_commit(struct coresight_held *held, size_t count)
{
	size_t unseen = count < held->unseen ? count : held->unseen;

	count -= unseen;
	if (count > held->elements)
		return false;
	held->unseen -= unseen;
	return held->unseen || release(held, count);
}

/* Removes packets from number @at on, except reports. */
static void drop_from(struct coresight_held *held, size_t at)
{
	size_t kept = at;

	for (; at < held->count; at++)
		if (packet_at(held, at)->kind == CORESIGHT_PACKET_REPORT)
			*packet_at(held, kept++) = *packet_at(held, at);
	held->count = kept;
}

bool coresight_held_cancel(struct coresight_held *held, size_t count)
{
	size_t at = held->count;

	if (count > held->elements + held->unseen)
		return false;
	for (; count && at; at--)
		if (packet_at(held, at - 1)->is_element) {
			held->elements--;
			count--;
		}
	held->unseen -= count;
	drop_from(held, at);
	return true;
}

void coresight_held_discard(struct coresight_held *held)
{
	held->elements = 0;
	held->unseen = 0;
	drop_from(held, 0);
}

/* Keeps a context that accompanies the address. Returns whether there is none.
 */
static bool drop_address(struct coresight_held_packet *packet)
{
	size_t context = packet->size - CORESIGHT_ADDRESS_SIZE;

	if (!context)
		return true;
	packet->kind = CORESIGHT_PACKET_CONTEXT;
	packet->size = (uint8_t)(1 + context);
	packet->bytes[0] = CORESIGHT_CONTEXT;
	memmove(packet->bytes + 1, packet->bytes + CORESIGHT_ADDRESS_SIZE,
		context);
	return false;
}

bool coresight_held_mispredict(struct coresight_held *held)
{
	size_t at = held->count;
	size_t kept;

	while (at && !packet_at(held, at - 1)->is_element)
		at--;
	if (at ? packet_at(held, at - 1)->kind != CORESIGHT_PACKET_ATOMS :
		 !held->unseen)
		return false;
	if (at)
		packet_at(held, at - 1)->bytes[0] ^= 1;
	for (kept = at; at < held->count; at++)
		if (packet_at(held, at)->kind != CORESIGHT_PACKET_ADDRESS ||
		    !drop_address(packet_at(held, at)))
			*packet_at(held, kept++) = *packet_at(held, at);
	held->count = kept;
	return true;
}
