/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_uncommitted.h"
#include "decoder/coresight/coresight_atoms.h"
#include "decoder/coresight/coresight_fields.h"
#include "decoder/recording/coresight_unit.h"

#include <string.h>

static bool hold(struct coresight_uncommitted *uncommitted,
		 const struct coresight_whole_packet *whole,
		 enum coresight_packet_kind kind, bool is_element,
		 const uint8_t *bytes, size_t size)
{
	struct coresight_held_packet *packet =
		coresight_held_add(&uncommitted->held);

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

static bool take_other(struct coresight_uncommitted *uncommitted,
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

static bool take_whole(struct coresight_uncommitted *uncommitted,
		       const struct coresight_whole_packet *whole)
{
	return hold_whole(uncommitted, whole, false);
}

/* OpenCSD's users assume that trace info precedes further elements, and that
 * its number of uncommitted elements includes those not in the trace.
 */
static void discard(struct coresight_uncommitted *uncommitted)
{
	coresight_held_discard(&uncommitted->held);
	uncommitted->is_begun = false;
	uncommitted->awaits_address = false;
}

static bool take_extension(struct coresight_uncommitted *uncommitted,
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

/* Trace info may contradict the earlier trace and still be correct for the
 * following trace.
 */
static void begin_anew(struct coresight_uncommitted *uncommitted,
		       const struct coresight_whole_packet *whole)
{
	struct coresight_held *held = &uncommitted->held;

	coresight_held_begin(held, held->depth);
	uncommitted->is_begun = false;
	held->callback.begin_anew(held->callback.ctx, whole->index);
}

static bool take_info(struct coresight_uncommitted *uncommitted,
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
	coresight_expansion_restart(&uncommitted->expansion,
				    !uncommitted->is_begun);
	if (!uncommitted->is_begun)
		held->unseen = packet->depth;
	uncommitted->is_begun = true;
	uncommitted->is_synced = false;
	coresight_expansion_hide_depth(whole->packet, whole->bytes);
	return hold_report(uncommitted, whole);
}

static bool take_transaction(struct coresight_uncommitted *uncommitted,
			     const struct coresight_whole_packet *whole)
{
	bool is_element = uncommitted->transactions_count;

	return hold_whole(uncommitted, whole, is_element) &&
	       (!is_element || coresight_held_count(&uncommitted->held));
}

static bool take_exception(struct coresight_uncommitted *uncommitted,
			   const struct coresight_whole_packet *whole)
{
	bool is_element =
		coresight_exception_has_address(whole->packet, whole->bytes);

	uncommitted->awaits_address = is_element;
	return hold_whole(uncommitted, whole, is_element);
}

static bool take_commit(struct coresight_uncommitted *uncommitted,
			const struct coresight_whole_packet *whole)
{
	size_t count;

	return coresight_commits(whole->packet, whole->bytes,
				 uncommitted->held.depth, &count) &&
	       coresight_held_commit(&uncommitted->held, count);
}

/* A count covers committed execution: it does not wait for the rest. */
static bool take_cycles(struct coresight_uncommitted *uncommitted,
			const struct coresight_whole_packet *whole)
{
	const struct coresight_packet_callback *callback =
		&uncommitted->held.callback;

	return take_commit(uncommitted, whole) &&
	       (uncommitted->held.unseen ||
		callback->give(callback->ctx, whole->index, whole->bytes,
			       whole->size));
}

static bool take_atoms(struct coresight_uncommitted *uncommitted,
		       const struct coresight_whole_packet *whole)
{
	struct coresight_atoms atoms =
		coresight_atoms_of(whole->packet->header);

	for (size_t i = 0; i < atoms.count; i++) {
		const uint8_t one = 0xf6 | (atoms.executed >> i & 1);

		if (!hold(uncommitted, whole, CORESIGHT_PACKET_ATOMS, true,
			  &one, 1) ||
		    !coresight_held_count(&uncommitted->held))
			return false;
	}
	return true;
}

/* Format 1 has a number, and a bit for a misprediction. */
static bool take_cancel(struct coresight_uncommitted *uncommitted,
			const struct coresight_whole_packet *whole)
{
	struct coresight_held *held = &uncommitted->held;

	return coresight_held_cancel(held, coresight_cancels(whole->packet,
							     whole->bytes)) &&
	       (!(whole->packet->header & 1) ||
		coresight_held_mispredict(held));
}

/* Atoms, cancelled elements (formats 2 and 3) and a misprediction, in this
 * order.
 */
static bool take_mispredict(struct coresight_uncommitted *uncommitted,
			    const struct coresight_whole_packet *whole)
{
	size_t count = coresight_cancels(whole->packet, whole->bytes);

	return take_atoms(uncommitted, whole) &&
	       coresight_held_cancel(&uncommitted->held, count) &&
	       coresight_held_mispredict(&uncommitted->held);
}

/* The previous context may be cancelled: OpenCSD gets each one in full. */
static bool take_context(struct coresight_uncommitted *uncommitted,
			 const struct coresight_whole_packet *whole)
{
	uint8_t bytes[CORESIGHT_PACKET_ROOM];
	size_t size = coresight_expansion_context(&uncommitted->expansion,
						  whole->packet, whole->bytes,
						  whole->size, bytes);

	return size ? hold(uncommitted, whole, CORESIGHT_PACKET_CONTEXT, false,
			   bytes, size) :
		      take_whole(uncommitted, whole);
}

static bool hold_address(struct coresight_uncommitted *uncommitted,
			 const struct coresight_whole_packet *whole,
			 enum coresight_packet_kind kind, bool is_element)
{
	uint8_t bytes[CORESIGHT_PACKET_ROOM];
	size_t size = coresight_expansion_address(&uncommitted->expansion,
						  whole->packet, whole->bytes,
						  whole->size, bytes);

	return hold(uncommitted, whole, kind, is_element, bytes, size);
}

/* An exception is complete with its address. */
static bool take_address(struct coresight_uncommitted *uncommitted,
			 const struct coresight_whole_packet *whole)
{
	bool was_awaited = uncommitted->awaits_address;

	uncommitted->awaits_address = false;
	return hold_address(uncommitted, whole, CORESIGHT_PACKET_ADDRESS,
			    false) &&
	       (!was_awaited || coresight_held_count(&uncommitted->held));
}

static bool take_source(struct coresight_uncommitted *uncommitted,
			const struct coresight_whole_packet *whole)
{
	return hold_address(uncommitted, whole, CORESIGHT_PACKET_SOURCE,
			    true) &&
	       coresight_held_count(&uncommitted->held);
}

#define KIND(name) CORESIGHT_PACKET_##name

/* The handlers for the kinds of packets. */
static const struct kind {
	bool (*take)(struct coresight_uncommitted *uncommitted,
		     const struct coresight_whole_packet *whole);
	bool is_early; /* may come before the first trace info */
} kinds[CORESIGHT_PACKET_KINDS] = {
	[KIND(OTHER)] = { take_other, false },
	[KIND(EXTENSION)] = { take_extension, true },
	[KIND(TRACE_INFO)] = { take_info, true },
	[KIND(REPORT)] = { take_whole, true },
	[KIND(STATE)] = { take_whole, false },
	[KIND(TRANSACTION)] = { take_transaction, false },
	[KIND(EXCEPTION)] = { take_exception, false },
	[KIND(IGNORE)] = { take_whole, true },
	[KIND(CYCLES)] = { take_cycles, false },
	[KIND(COMMIT)] = { take_commit, false },
	[KIND(CANCEL)] = { take_cancel, false },
	[KIND(MISPREDICT)] = { take_mispredict, false },
	[KIND(CONTEXT)] = { take_context, false },
	[KIND(ADDRESS)] = { take_address, false },
	[KIND(SOURCE)] = { take_source, false },
	[KIND(Q)] = { take_other, false },
	[KIND(ATOMS)] = { take_atoms, false },
};

bool coresight_uncommitted_take(struct coresight_uncommitted *uncommitted,
				const struct coresight_whole_packet *whole)
{
	const struct kind *kind = &kinds[whole->packet->kind];

	if ((!uncommitted->is_begun && !kind->is_early) ||
	    (uncommitted->awaits_address &&
	     !coresight_may_precede_address(whole->packet->kind)))
		return false;
	uncommitted->is_synced &= kind->is_early;
	return kind->take(uncommitted, whole) &&
	       coresight_held_commit(&uncommitted->held, 0);
}

void coresight_uncommitted_begin(struct coresight_uncommitted *uncommitted,
				 const struct coresight_unit *unit)
{
	coresight_held_begin(&uncommitted->held, unit->idr8);
	uncommitted->transactions_count = !(unit->idr0 >> 30 & 1);
	uncommitted->is_begun = false;
	uncommitted->is_synced = false;
	uncommitted->awaits_address = false;
}

bool coresight_uncommitted_waits(const struct coresight_uncommitted *uncommitted)
{
	return uncommitted->awaits_address || uncommitted->held.elements ||
	       uncommitted->held.unseen;
}
