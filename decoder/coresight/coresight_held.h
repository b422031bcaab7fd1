/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_HELD_H
#define KT_DECODER_CORESIGHT_HELD_H

#include "decoder/coresight/coresight_packet.h"

struct coresight_packet_callback {
	/* Consumes a packet, whose first byte has number @index. Returns false
	 * to stop.
	 */
	bool (*give)(void *ctx, uint64_t index, const uint8_t *bytes,
		     size_t size);
	/* Called if the trace before @index is damaged. The next packet is the
	 * trace info there; a synchronization packet came before it.
	 */
	void (*begin_anew)(void *ctx, uint64_t index);
	void *ctx;
};

enum { CORESIGHT_PACKET_ROOM = 32, CORESIGHT_HELD_ROOM = 2048 };

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
 * coresight_held_begin().
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

/* Starts with no packets. */
void coresight_held_begin(struct coresight_held *held, size_t depth);

/* Returns a zeroed slot for a new packet, the newest; NULL if there is no room.
 */
struct coresight_held_packet *coresight_held_add(struct coresight_held *held);

/* Must be called after the packets of one more element are complete. Commits
 * the oldest element if there are too many.
 */
bool coresight_held_count(struct coresight_held *held);

/* Commits the oldest @count elements: emits them with the packets before and
 * right after each.
 */
bool coresight_held_commit(struct coresight_held *held, size_t count);

/* Removes the newest @count elements, which were not executed, with their
 * packets except reports.
 */
bool coresight_held_cancel(struct coresight_held *held, size_t count);

/* Inverts the newest element, an atom, and drops the addresses after it, which
 * describe the wrong target; contexts stay. Assumes that no unit corrects an
 * element of another kind.
 */
bool coresight_held_mispredict(struct coresight_held *held);

/* Discards all packets except reports. */
void coresight_held_discard(struct coresight_held *held);

#endif
