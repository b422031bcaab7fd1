/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_atoms.h"
#include "decoder/coresight/coresight_speculation_parts.h"

#include <string.h>

static bool hold(struct coresight_speculation *speculation,
		 enum coresight_packet_kind kind, bool is_element,
		 const uint8_t *bytes, size_t size)
{
	struct coresight_held_packet *packet =
		coresight_held_add(&speculation->held);

	if (!packet)
		return false;
	packet->index = speculation->index;
	packet->kind = (uint8_t)kind;
	packet->is_element = is_element;
	packet->size = (uint8_t)size;
	memcpy(packet->bytes, bytes, size);
	return true;
}

static bool hold_whole(struct coresight_speculation *speculation,
		       bool is_element)
{
	return hold(speculation, speculation->packet.kind, is_element,
		    speculation->bytes, speculation->size);
}

static bool take_other(struct coresight_speculation *speculation)
{
	(void)speculation;
	return false;
}

/* Is not of what is executed. */
static bool hold_report(struct coresight_speculation *speculation)
{
	return hold(speculation, CORESIGHT_PACKET_REPORT, false,
		    speculation->bytes, speculation->size);
}

static bool take_whole(struct coresight_speculation *speculation)
{
	return hold_whole(speculation, false);
}

/* OpenCSD's users assume that trace info comes before elements do again, and
 * says how many wait that it does not show.
 */
static void discard(struct coresight_speculation *speculation)
{
	coresight_held_discard(&speculation->held);
	speculation->is_begun = false;
	speculation->awaits_address = false;
}

static bool take_extension(struct coresight_speculation *speculation)
{
	enum { DISCARD = 0x03, OVERFLOW = 0x05, SYNC_SIZE = 12 };
	const uint8_t *bytes = speculation->bytes;

	if (bytes[1] == DISCARD || bytes[1] == OVERFLOW)
		discard(speculation);
	else if (speculation->size == SYNC_SIZE &&
		 bytes[SYNC_SIZE - 1] == 0x80 && !speculation->awaits_address)
		speculation->is_synced = true;
	else
		return false;
	return hold_report(speculation);
}

/* OpenCSD is not to hear of elements that it has not seen. */
static void hide_depth(struct coresight_speculation *speculation)
{
	uint8_t *byte = speculation->bytes + speculation->packet.depth_at;

	if (!speculation->packet.depth_at)
		return;
	for (; *byte & 0x80; byte++)
		*byte = 0x80;
	*byte = 0;
}

/* It is assumed that trace info that says how many elements wait counts all of
 * them, and those alone.
 */
static bool is_wrong_depth(const struct coresight_speculation *speculation)
{
	const struct coresight_held *held = &speculation->held;

	return speculation->is_begun && speculation->packet.depth_at &&
	       speculation->packet.depth != held->unseen + held->elements;
}

/* Trace info may be wrong about what came before, and right about what comes
 * next.
 */
static void begin_anew(struct coresight_speculation *speculation)
{
	struct coresight_held *held = &speculation->held;

	coresight_held_begin(held, held->depth);
	speculation->is_begun = false;
	held->callback.begin_anew(held->callback.ctx, speculation->index);
}

static bool take_info(struct coresight_speculation *speculation)
{
	const struct coresight_packet *packet = &speculation->packet;
	struct coresight_held *held = &speculation->held;
	bool is_wrong = is_wrong_depth(speculation);

	if (packet->depth > held->depth ||
	    (is_wrong && !speculation->is_synced))
		return false;
	if (is_wrong)
		begin_anew(speculation);
	if (!speculation->is_begun) {
		held->unseen = packet->depth;
		speculation->context = (struct coresight_last_context){ 0 };
	}
	speculation->is_begun = true;
	speculation->is_synced = false;
	memset(speculation->addresses.last, 0,
	       sizeof(speculation->addresses.last));
	hide_depth(speculation);
	return hold_report(speculation);
}

static bool take_transaction(struct coresight_speculation *speculation)
{
	bool is_element = speculation->transactions_count;

	return hold_whole(speculation, is_element) &&
	       (!is_element || coresight_held_count(&speculation->held));
}

/* ETE's resets (0) and failed transactions (24) have no address. */
static bool take_exception(struct coresight_speculation *speculation)
{
	uint8_t type = speculation->bytes[1] >> 1 & 0x1f;
	bool is_element = !speculation->packet.is_ete || (type && type != 24);

	speculation->awaits_address = is_element;
	return hold_whole(speculation, is_element);
}

static uint32_t number_at(const uint8_t *bytes)
{
	uint32_t number = 0;
	size_t i = 0;

	do
		number |= (bytes[i] & UINT32_C(0x7f)) << 7 * i;
	while (bytes[i++] & 0x80 && i < 5);
	return number;
}

static bool take_commit(struct coresight_speculation *speculation)
{
	return coresight_held_commit(&speculation->held,
				     number_at(speculation->bytes + 1));
}

/* Formats 3, 1 and 2.  The last tells how many elements are committed, or how
 * far they are from the most, less 15.
 */
static bool commit_counted(struct coresight_speculation *speculation)
{
	struct coresight_held *held = &speculation->held;
	const uint8_t *bytes = speculation->bytes;
	size_t count;

	if (!speculation->packet.counts_commits)
		return true;
	if (bytes[0] >= 0x10)
		return coresight_held_commit(held, (bytes[0] >> 2 & 3) + 1u);
	if (bytes[0] >= 0x0e)
		return take_commit(speculation);
	count = bytes[1] >> 4;
	if (!(bytes[0] & 1))
		return coresight_held_commit(held, count + 1);
	return held->depth + count >= 15 &&
	       coresight_held_commit(held, held->depth + count - 15);
}

/* A count is of what was committed: it does not wait for the rest. */
static bool take_cycles(struct coresight_speculation *speculation)
{
	const struct coresight_packet_callback *callback =
		&speculation->held.callback;

	return commit_counted(speculation) &&
	       (speculation->held.unseen ||
		callback->give(callback->ctx, speculation->index,
			       speculation->bytes, speculation->size));
}

static bool take_atoms(struct coresight_speculation *speculation)
{
	struct coresight_atoms atoms =
		coresight_atoms_of(speculation->packet.header);

	for (size_t i = 0; i < atoms.count; i++) {
		const uint8_t one = 0xf6 | (atoms.executed >> i & 1);

		if (!hold(speculation, CORESIGHT_PACKET_ATOMS, true, &one, 1) ||
		    !coresight_held_count(&speculation->held))
			return false;
	}
	return true;
}

/* Format 1 has a number, and says whether there was a misprediction. */
static bool take_cancel(struct coresight_speculation *speculation)
{
	struct coresight_held *held = &speculation->held;

	return coresight_held_cancel(held, number_at(speculation->bytes + 1)) &&
	       (!(speculation->packet.header & 1) ||
		coresight_held_mispredict(held));
}

/* Atoms, cancelled elements (formats 2 and 3) and a misprediction, in this
 * order.
 */
static bool take_mispredict(struct coresight_speculation *speculation)
{
	uint8_t header = speculation->packet.header;
	size_t count = header >= 0x38 ? (header >> 1 & 3) + 2u : header >= 0x34;

	return take_atoms(speculation) &&
	       coresight_held_cancel(&speculation->held, count) &&
	       coresight_held_mispredict(&speculation->held);
}

static void note_context(struct coresight_speculation *speculation,
			 const uint8_t *bytes)
{
	coresight_last_context_note(&speculation->context,
				    speculation->packet.context_sizes, bytes);
	speculation->addresses.is_64bit = bytes[0] >> 4 & 1;
}

static size_t write_context(const struct coresight_speculation *speculation,
			    uint8_t *bytes)
{
	return coresight_last_context_write(&speculation->context,
					    speculation->packet.context_sizes,
					    bytes);
}

/* The last one may be cancelled: OpenCSD is told each in full. */
static bool take_context(struct coresight_speculation *speculation)
{
	uint8_t bytes[CORESIGHT_PACKET_ROOM] = { CORESIGHT_CONTEXT };

	if (speculation->size > 1)
		note_context(speculation, speculation->bytes + 1);
	if (!speculation->context.is_known)
		return take_whole(speculation);
	return hold(speculation, CORESIGHT_PACKET_CONTEXT, false, bytes,
		    1 + write_context(speculation, bytes + 1));
}

static bool hold_address(struct coresight_speculation *speculation,
			 enum coresight_packet_kind kind, bool is_element)
{
	uint8_t bytes[CORESIGHT_PACKET_ROOM];
	size_t read = coresight_address_expand(&speculation->addresses,
					       speculation->bytes, bytes);
	size_t size = CORESIGHT_ADDRESS_SIZE;

	if (speculation->size > read) {
		note_context(speculation, speculation->bytes + read);
		size += write_context(speculation, bytes + size);
	}
	return hold(speculation, kind, is_element, bytes, size);
}

/* An exception is whole with its address. */
static bool take_address(struct coresight_speculation *speculation)
{
	bool was_awaited = speculation->awaits_address;

	speculation->awaits_address = false;
	return hold_address(speculation, CORESIGHT_PACKET_ADDRESS, false) &&
	       (!was_awaited || coresight_held_count(&speculation->held));
}

static bool take_source(struct coresight_speculation *speculation)
{
	return hold_address(speculation, CORESIGHT_PACKET_SOURCE, true) &&
	       coresight_held_count(&speculation->held);
}

#define KIND(name) CORESIGHT_PACKET_##name

const struct coresight_speculation_kind
	coresight_speculation_kinds[CORESIGHT_PACKET_KINDS] = {
		[KIND(OTHER)] = { take_other, false, false },
		[KIND(EXTENSION)] = { take_extension, true, true },
		[KIND(TRACE_INFO)] = { take_info, true, false },
		[KIND(REPORT)] = { take_whole, true, false },
		[KIND(STATE)] = { take_whole, false, false },
		[KIND(TRANSACTION)] = { take_transaction, false, false },
		[KIND(EXCEPTION)] = { take_exception, false, false },
		[KIND(IGNORE)] = { take_whole, true, true },
		[KIND(CYCLES)] = { take_cycles, false, false },
		[KIND(COMMIT)] = { take_commit, false, false },
		[KIND(CANCEL)] = { take_cancel, false, false },
		[KIND(MISPREDICT)] = { take_mispredict, false, false },
		[KIND(CONTEXT)] = { take_context, false, true },
		[KIND(ADDRESS)] = { take_address, false, true },
		[KIND(SOURCE)] = { take_source, false, false },
		[KIND(Q)] = { take_other, false, false },
		[KIND(ATOMS)] = { take_atoms, false, false },
	};
