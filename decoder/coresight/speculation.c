/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/speculation_internal.h"

#include "decoder/coresight/packet_internal.h"
#include "decoder/recording/coresight_streams.h"

#include <stdlib.h>
#include <string.h>

/* Three parts, from the inside out:
 *
 *	coresight_held          packets that wait, some of which are elements:
 *	                        commit emits the oldest, cancel drops the newest
 *	coresight_expansion     addresses and contexts in full, since the packets
 *	                        that they refer to may be cancelled
 *	coresight_uncommitted   the effect of each packet on both
 *
 * At most TRCIDR8 elements are uncommitted: beyond that the oldest commits by
 * itself (held_count()). Reports, such as time stamps, belong to no element,
 * and survive a cancel. Invalid trace stops the conversion up to the next trace
 * info.
 */

/* The last context, to which packets of ETMv4 or ETE can refer as a whole or
 * for IDs that they leave out.
 */
struct coresight_last_context {
	bool is_known;
	uint8_t info;	   /* which IDs are present */
	uint8_t ids[2][4]; /* VMID and context ID */
};

/* Header of a context packet. */
enum { CORESIGHT_CONTEXT = 0x81 };

struct coresight_held_packet {
	uint64_t index;
	uint8_t kind;	 /* enum coresight_packet_kind */
	bool is_element; /* commits as an element: "P0" in the manual */
	uint8_t size;
	uint8_t bytes[CORESIGHT_PACKET_ROOM];
};

/* Packets that wait until their elements are committed, oldest first. Atom
 * packets have one atom each, addresses have CORESIGHT_ADDRESS_SIZE bytes,
 * perhaps with a context.
 *
 * Functions that return bool return false if the trace is invalid or the
 * callback stopped; no other function may be called then until
 * held_begin().
 */
struct coresight_held {
	struct coresight_packet_callback callback;
	size_t depth;	 /* maximum number of uncommitted elements */
	size_t unseen;	 /* uncommitted elements older than the start */
	size_t elements; /* uncommitted elements of the packets */
	size_t first;
	size_t count;
	struct coresight_held_packet packets[CORESIGHT_HELD_ROOM];
};

/* Addresses and contexts in ETMv4 or ETE packets omit the parts that earlier
 * packets contain. Since earlier packets may be cancelled, this code rewrites
 * each one in full.
 */
struct coresight_expansion {
	struct coresight_addresses addresses;
	struct coresight_last_context context;
};

/* Consumes complete packets of a trace with speculation: applies each to the
 * uncommitted elements, and tracks the addresses and contexts that later
 * packets refer to.
 */
struct coresight_uncommitted {
	/* transactions are elements: TRCIDR0.COMMTRANS */
	bool transactions_count;
	bool is_begun; /* trace info was seen, without loss since */
	/* trace info is due, right after a synchronization packet */
	bool is_synced;
	bool awaits_address; /* the newest element is an exception */
	struct coresight_expansion expansion;
	struct coresight_held held;
};

/* A complete packet. Its bytes may be modified. */
struct coresight_whole_packet {
	const struct coresight_packet *packet;
	uint64_t index; /* number of its first byte */
	uint8_t *bytes;
	uint8_t size;
};

enum { HAS_VMID = 0x40, HAS_CONTEXT_ID = 0x80 };

static const uint8_t has_id[2] = { HAS_VMID, HAS_CONTEXT_ID };

/* Stores the context at the end of a packet; IDs have @sizes bytes. */
static void last_context_note(struct coresight_last_context *last,
			      const uint8_t *sizes, const uint8_t *bytes)
{
	const uint8_t known = last->info & (HAS_VMID | HAS_CONTEXT_ID);
	const uint8_t info = *bytes++;

	last->is_known = true;
	last->info = known | info;
	for (size_t i = 0; i < 2; i++)
		if (info & has_id[i]) {
			memcpy(last->ids[i], bytes, sizes[i]);
			bytes += sizes[i];
		}
}

/* Writes the context with all IDs that are known. Returns the number of bytes,
 * 9 at most.
 */
static size_t last_context_write(const struct coresight_last_context *last,
				 const uint8_t *sizes, uint8_t *bytes)
{
	size_t size = 0;

	bytes[size++] = last->info;
	for (size_t i = 0; i < 2; i++)
		if (last->info & has_id[i]) {
			memcpy(bytes + size, last->ids[i], sizes[i]);
			size += sizes[i];
		}
	return size;
}

static struct coresight_held_packet *packet_at(struct coresight_held *held,
					       size_t index)
{
	return &held->packets[held->first + index];
}

/* Starts with no packets. */
static void held_begin(struct coresight_held *held, size_t depth)
{
	held->depth = depth;
	held->unseen = 0;
	held->elements = 0;
	held->first = 0;
	held->count = 0;
}

/* Returns a zeroed slot for a new packet, the newest; NULL if there is no room.
 */
static struct coresight_held_packet *held_add(struct coresight_held *held)
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

/* Commits the oldest @count elements: emits them with the packets before and
 * right after each.
 *
 * Unseen elements are the oldest.
 */
static bool held_commit(struct coresight_held *held, size_t count)
{
	size_t unseen = count < held->unseen ? count : held->unseen;

	count -= unseen;
	if (count > held->elements)
		return false;
	held->unseen -= unseen;
	return held->unseen || release(held, count);
}

/* Must be called after the packets of one more element are complete. Commits
 * the oldest element if there are too many.
 */
static bool held_count(struct coresight_held *held)
{
	held->elements++;
	return held->elements + held->unseen <= held->depth ||
	       held_commit(held, 1);
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

/* Removes the newest @count elements, which were not executed, and their
 * packets except reports.
 */
static bool held_cancel(struct coresight_held *held, size_t count)
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

/* Discards all packets except reports. */
static void held_discard(struct coresight_held *held)
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

/* Inverts the newest element, an atom, and drops the addresses after it, which
 * describe the wrong target; contexts stay. Assumes that no unit corrects an
 * element of another kind.
 */
static bool held_mispredict(struct coresight_held *held)
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

/* Must be called at trace info: later packets do not refer to addresses before
 * it nor, if @is_begin, to contexts before it.
 */
static void expansion_restart(struct coresight_expansion *expansion,
			      bool is_begin)
{
	if (is_begin)
		expansion->context = (struct coresight_last_context){ 0 };
	memset(expansion->addresses.last, 0, sizeof(expansion->addresses.last));
}

static void note_context(struct coresight_expansion *expansion,
			 const struct coresight_packet *packet,
			 const uint8_t *bytes)
{
	last_context_note(&expansion->context, packet->context_sizes, bytes);
	expansion->addresses.is_64bit = bytes[0] >> 4 & 1;
}

static size_t write_context(const struct coresight_expansion *expansion,
			    const struct coresight_packet *packet,
			    uint8_t *bytes)
{
	return last_context_write(&expansion->context, packet->context_sizes,
				  bytes);
}

/* Writes context @packet of @size bytes in full to @expanded, which has room
 * for CORESIGHT_PACKET_ROOM. Returns the number of bytes written, 0 if the
 * context is unknown.
 */
static size_t expansion_context(struct coresight_expansion *expansion,
				const struct coresight_packet *packet,
				const uint8_t *bytes, size_t size,
				uint8_t *expanded)
{
	if (size > 1)
		note_context(expansion, packet, bytes + 1);
	if (!expansion->context.is_known)
		return 0;
	*expanded = CORESIGHT_CONTEXT;
	return 1 + write_context(expansion, packet, expanded + 1);
}

/* Like expansion_context(), for an address or source address packet,
 * which a context may follow.
 */
static size_t expansion_address(struct coresight_expansion *expansion,
				const struct coresight_packet *packet,
				const uint8_t *bytes, size_t size,
				uint8_t *expanded)
{
	size_t read = coresight_address_expand(&expansion->addresses, bytes,
					       expanded);

	if (size <= read)
		return CORESIGHT_ADDRESS_SIZE;
	note_context(expansion, packet, bytes + read);
	return CORESIGHT_ADDRESS_SIZE +
	       write_context(expansion, packet,
			     expanded + CORESIGHT_ADDRESS_SIZE);
}

/* Sets the number of uncommitted elements in @bytes of @packet, trace info, to
 * zero: a reader of committed packets has not seen these elements.
 */
static void expansion_hide_depth(const struct coresight_packet *packet,
				 uint8_t *bytes)
{
	uint8_t *byte = bytes + packet->depth_at;

	if (!packet->depth_at)
		return;
	for (; *byte & 0x80; byte++)
		*byte = 0x80;
	*byte = 0;
}

static bool hold(struct coresight_uncommitted *uncommitted,
		 const struct coresight_whole_packet *whole,
		 enum coresight_packet_kind kind, bool is_element,
		 const uint8_t *bytes, size_t size)
{
	struct coresight_held_packet *packet = held_add(&uncommitted->held);

	if (!packet)
		return false;
	packet->index = whole->index;
	packet->kind = (uint8_t)kind;
	packet->is_element = is_element;
	packet->size = (uint8_t)size;
	memcpy(packet->bytes, bytes, size);
	return true;
}

static bool hold_whole(struct coresight_uncommitted *uncommitted,
		       const struct coresight_whole_packet *whole,
		       bool is_element)
{
	return hold(uncommitted, whole, whole->packet->kind, is_element,
		    whole->bytes, whole->size);
}

static bool consume_other(struct coresight_uncommitted *uncommitted,
			  const struct coresight_whole_packet *whole)
{
	(void)uncommitted;
	(void)whole;
	return false;
}

/* Holds a packet that is independent of execution. */
static bool hold_report(struct coresight_uncommitted *uncommitted,
			const struct coresight_whole_packet *whole)
{
	return hold(uncommitted, whole, CORESIGHT_PACKET_REPORT, false,
		    whole->bytes, whole->size);
}

static bool consume_whole(struct coresight_uncommitted *uncommitted,
			  const struct coresight_whole_packet *whole)
{
	return hold_whole(uncommitted, whole, false);
}

/* Discards the uncommitted elements. Assumes that trace info precedes further
 * elements, and that its number of uncommitted elements includes those not in
 * the trace.
 */
static void discard(struct coresight_uncommitted *uncommitted)
{
	held_discard(&uncommitted->held);
	uncommitted->is_begun = false;
	uncommitted->awaits_address = false;
}

static bool consume_extension(struct coresight_uncommitted *uncommitted,
			      const struct coresight_whole_packet *whole)
{
	switch (coresight_extension_of(whole->bytes, whole->size)) {
	case CORESIGHT_EXTENSION_BAD:
		return false;
	case CORESIGHT_EXTENSION_SYNC:
		if (uncommitted->awaits_address)
			return false;
		uncommitted->is_synced = true;
		break;
	case CORESIGHT_EXTENSION_DISCARD:
	case CORESIGHT_EXTENSION_OVERFLOW:
		discard(uncommitted);
		break;
	}
	return hold_report(uncommitted, whole);
}

/* Assumes that the number of uncommitted elements in trace info is exact. */
static bool is_wrong_depth(const struct coresight_uncommitted *uncommitted,
			   const struct coresight_whole_packet *whole)
{
	const struct coresight_held *held = &uncommitted->held;

	return uncommitted->is_begun && whole->packet->depth_at &&
	       whole->packet->depth != held->unseen + held->elements;
}

/* Restarts at trace info, which may contradict the earlier trace and still be
 * correct for the following trace.
 */
static void begin_anew(struct coresight_uncommitted *uncommitted,
		       const struct coresight_whole_packet *whole)
{
	struct coresight_held *held = &uncommitted->held;

	held_begin(held, held->depth);
	uncommitted->is_begun = false;
	held->callback.begin_anew(held->callback.ctx, whole->index);
}

static bool consume_info(struct coresight_uncommitted *uncommitted,
			 const struct coresight_whole_packet *whole)
{
	const struct coresight_packet *packet = whole->packet;
	struct coresight_held *held = &uncommitted->held;
	bool is_wrong = is_wrong_depth(uncommitted, whole);

	if (packet->depth > held->depth ||
	    (is_wrong && !uncommitted->is_synced))
		return false;
	if (is_wrong)
		begin_anew(uncommitted, whole);
	expansion_restart(&uncommitted->expansion, !uncommitted->is_begun);
	if (!uncommitted->is_begun)
		held->unseen = packet->depth;
	uncommitted->is_begun = true;
	uncommitted->is_synced = false;
	expansion_hide_depth(whole->packet, whole->bytes);
	return hold_report(uncommitted, whole);
}

static bool consume_transaction(struct coresight_uncommitted *uncommitted,
				const struct coresight_whole_packet *whole)
{
	bool is_element = uncommitted->transactions_count;

	return hold_whole(uncommitted, whole, is_element) &&
	       (!is_element || held_count(&uncommitted->held));
}

static bool consume_exception(struct coresight_uncommitted *uncommitted,
			      const struct coresight_whole_packet *whole)
{
	bool is_element =
		coresight_exception_has_address(whole->packet, whole->bytes);

	uncommitted->awaits_address = is_element;
	return hold_whole(uncommitted, whole, is_element);
}

static bool consume_commit(struct coresight_uncommitted *uncommitted,
			   const struct coresight_whole_packet *whole)
{
	size_t count;

	return coresight_commits(whole->packet, whole->bytes,
				 uncommitted->held.depth, &count) &&
	       held_commit(&uncommitted->held, count);
}

/* Consumes a cycle count. It covers committed execution, so it does not wait
 * for the rest.
 */
static bool consume_cycles(struct coresight_uncommitted *uncommitted,
			   const struct coresight_whole_packet *whole)
{
	const struct coresight_packet_callback *callback =
		&uncommitted->held.callback;

	return consume_commit(uncommitted, whole) &&
	       (uncommitted->held.unseen ||
		callback->give(callback->ctx, whole->index, whole->bytes,
			       whole->size));
}

static bool consume_atoms(struct coresight_uncommitted *uncommitted,
			  const struct coresight_whole_packet *whole)
{
	struct coresight_atoms atoms =
		coresight_atoms_of(whole->packet->header);

	for (size_t i = 0; i < atoms.count; i++) {
		const uint8_t one = 0xf6 | (atoms.executed >> i & 1);

		if (!hold(uncommitted, whole, CORESIGHT_PACKET_ATOMS, true,
			  &one, 1) ||
		    !held_count(&uncommitted->held))
			return false;
	}
	return true;
}

/* Consumes a cancel packet of format 1: a number of elements, and a bit for a
 * misprediction.
 */
static bool consume_cancel(struct coresight_uncommitted *uncommitted,
			   const struct coresight_whole_packet *whole)
{
	struct coresight_held *held = &uncommitted->held;

	return held_cancel(held,
			   coresight_cancels(whole->packet, whole->bytes)) &&
	       (!(whole->packet->header & 1) || held_mispredict(held));
}

/* Consumes a mispredict packet, or a cancel packet of format 2 or 3: applies
 * its atoms, its cancelled elements and the misprediction, in this order.
 */
static bool consume_mispredict(struct coresight_uncommitted *uncommitted,
			       const struct coresight_whole_packet *whole)
{
	size_t count = coresight_cancels(whole->packet, whole->bytes);

	return consume_atoms(uncommitted, whole) &&
	       held_cancel(&uncommitted->held, count) &&
	       held_mispredict(&uncommitted->held);
}

/* Consumes a context, in full: the previous one may be cancelled. */
static bool consume_context(struct coresight_uncommitted *uncommitted,
			    const struct coresight_whole_packet *whole)
{
	uint8_t bytes[CORESIGHT_PACKET_ROOM];
	size_t size = expansion_context(&uncommitted->expansion, whole->packet,
					whole->bytes, whole->size, bytes);

	return size ? hold(uncommitted, whole, CORESIGHT_PACKET_CONTEXT, false,
			   bytes, size) :
		      consume_whole(uncommitted, whole);
}

static bool hold_address(struct coresight_uncommitted *uncommitted,
			 const struct coresight_whole_packet *whole,
			 enum coresight_packet_kind kind, bool is_element)
{
	uint8_t bytes[CORESIGHT_PACKET_ROOM];
	size_t size = expansion_address(&uncommitted->expansion, whole->packet,
					whole->bytes, whole->size, bytes);

	return hold(uncommitted, whole, kind, is_element, bytes, size);
}

/* Consumes an address, which also completes an exception. */
static bool consume_address(struct coresight_uncommitted *uncommitted,
			    const struct coresight_whole_packet *whole)
{
	bool was_awaited = uncommitted->awaits_address;

	uncommitted->awaits_address = false;
	return hold_address(uncommitted, whole, CORESIGHT_PACKET_ADDRESS,
			    false) &&
	       (!was_awaited || held_count(&uncommitted->held));
}

static bool consume_source(struct coresight_uncommitted *uncommitted,
			   const struct coresight_whole_packet *whole)
{
	return hold_address(uncommitted, whole, CORESIGHT_PACKET_SOURCE,
			    true) &&
	       held_count(&uncommitted->held);
}

#define KIND(name) CORESIGHT_PACKET_##name

/* The handlers for the kinds of packets. */
static const struct kind {
	bool (*consume)(struct coresight_uncommitted *uncommitted,
			const struct coresight_whole_packet *whole);
	bool is_early; /* may come before the first trace info */
} kinds[CORESIGHT_PACKET_KINDS] = {
	[KIND(OTHER)] = { consume_other, false },
	[KIND(EXTENSION)] = { consume_extension, true },
	[KIND(TRACE_INFO)] = { consume_info, true },
	[KIND(REPORT)] = { consume_whole, true },
	[KIND(STATE)] = { consume_whole, false },
	[KIND(TRANSACTION)] = { consume_transaction, false },
	[KIND(EXCEPTION)] = { consume_exception, false },
	[KIND(IGNORE)] = { consume_whole, true },
	[KIND(CYCLES)] = { consume_cycles, false },
	[KIND(COMMIT)] = { consume_commit, false },
	[KIND(CANCEL)] = { consume_cancel, false },
	[KIND(MISPREDICT)] = { consume_mispredict, false },
	[KIND(CONTEXT)] = { consume_context, false },
	[KIND(ADDRESS)] = { consume_address, false },
	[KIND(SOURCE)] = { consume_source, false },
	[KIND(Q)] = { consume_other, false },
	[KIND(ATOMS)] = { consume_atoms, false },
};

/* Consumes the next packet. Returns false as the functions of struct
 * coresight_held do.
 */
static bool uncommitted_consume(struct coresight_uncommitted *uncommitted,
				const struct coresight_whole_packet *whole)
{
	const struct kind *kind = &kinds[whole->packet->kind];

	if ((!uncommitted->is_begun && !kind->is_early) ||
	    (uncommitted->awaits_address &&
	     !coresight_may_precede_address(whole->packet->kind)))
		return false;
	uncommitted->is_synced &= kind->is_early;
	return kind->consume(uncommitted, whole) &&
	       held_commit(&uncommitted->held, 0);
}

/* Starts after a synchronization packet of @unit. */
static void uncommitted_begin(struct coresight_uncommitted *uncommitted,
			      const struct coresight_unit *unit)
{
	held_begin(&uncommitted->held, unit->idr8);
	uncommitted->transactions_count = !(unit->idr0 >> 30 & 1);
	uncommitted->is_begun = false;
	uncommitted->is_synced = false;
	uncommitted->awaits_address = false;
}

/* Returns whether some elements are still uncommitted. */
static bool uncommitted_waits(const struct coresight_uncommitted *uncommitted)
{
	return uncommitted->awaits_address || uncommitted->held.elements ||
	       uncommitted->held.unseen;
}

/* The current packet, and the state from earlier ones. */
struct coresight_speculation {
	struct coresight_packet packet;
	uint64_t index; /* of the first byte */
	uint8_t size;
	uint8_t bytes[CORESIGHT_PACKET_ROOM];
	struct coresight_uncommitted uncommitted;
};

struct coresight_speculation *
coresight_speculation_new(const struct coresight_packet_callback *callback)
{
	struct coresight_speculation *speculation =
		calloc(1, sizeof(*speculation));

	if (speculation)
		speculation->uncommitted.held.callback = *callback;
	return speculation;
}

void coresight_speculation_free(struct coresight_speculation *speculation)
{
	free(speculation);
}

void coresight_speculation_begin(struct coresight_speculation *speculation,
				 const struct coresight_unit *unit)
{
	coresight_packet_begin(&speculation->packet, unit);
	uncommitted_begin(&speculation->uncommitted, unit);
}

static bool consume_packet(struct coresight_speculation *speculation)
{
	const struct coresight_whole_packet whole = {
		.packet = &speculation->packet,
		.index = speculation->index,
		.bytes = speculation->bytes,
		.size = speculation->size,
	};

	return uncommitted_consume(&speculation->uncommitted, &whole);
}

static void begin_packet(struct coresight_speculation *speculation,
			 uint64_t index)
{
	speculation->index = index;
	speculation->size = 0;
}

static bool add_bytes(struct coresight_speculation *speculation,
		      const uint8_t *bytes, size_t size)
{
	if (size > sizeof(speculation->bytes) - speculation->size)
		return false;
	memcpy(speculation->bytes + speculation->size, bytes, size);
	speculation->size += (uint8_t)size;
	return speculation->packet.is_open || consume_packet(speculation);
}

size_t coresight_speculation_consume(struct coresight_speculation *speculation,
				     uint64_t index, const uint8_t *bytes,
				     size_t size)
{
	size_t at = 0;

	while (at < size) {
		size_t taken;

		if (!speculation->packet.is_open)
			begin_packet(speculation, index + at);
		taken = coresight_packet_consume(&speculation->packet,
						 bytes + at, size - at);
		if (!add_bytes(speculation, bytes + at, taken))
			return speculation->index > index ?
				       speculation->index - index :
				       0;
		at += taken;
	}
	return size;
}

bool coresight_speculation_waits(const struct coresight_speculation *speculation)
{
	return uncommitted_waits(&speculation->uncommitted);
}
