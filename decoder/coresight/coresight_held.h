/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_HELD_H
#define KT_DECODER_CORESIGHT_HELD_H

#include "decoder/coresight/coresight_packet.h"

struct coresight_packet_callback {
	/* Takes a packet, whose first byte had number @index.  Returns false
	 * if no more are wanted.
	 */
	bool (*give)(void *ctx, uint64_t index, const uint8_t *bytes,
		     size_t size);
	/* What came before @index is damaged.  The next packet is trace info,
	 * there, and a synchronisation packet came before it.
	 */
	void (*begin_anew)(void *ctx, uint64_t index);
	void *ctx;
};

enum { CORESIGHT_PACKET_ROOM = 32, CORESIGHT_HELD_ROOM = 2048 };

/* Begins a packet of a context alone. */
enum { CORESIGHT_CONTEXT = 0x81 };

struct coresight_held_packet {
	uint64_t index;
	uint8_t kind;	 /* enum coresight_packet_kind */
	bool is_element; /* to be committed: "P0" in the manual */
	uint8_t size;
	uint8_t bytes[CORESIGHT_PACKET_ROOM];
};

/* Packets that wait for the elements that they tell of to be committed, oldest
 * first.  Those of atoms have one atom, addresses have CORESIGHT_ADDRESS_SIZE
 * bytes and maybe those of a context.
 *
 * Functions that return a bool return false if no trace unit could have meant
 * that, or the callback wants no more: then nothing goes on from here.
 */
struct coresight_held {
	struct coresight_packet_callback callback;
	size_t depth;	 /* elements that wait, at most */
	size_t unseen;	 /* that wait, and came before the first */
	size_t elements; /* that wait, of the packets */
	size_t first;
	size_t count;
	struct coresight_held_packet packets[CORESIGHT_HELD_ROOM];
};

/* Nothing waits. */
void coresight_held_begin(struct coresight_held *held, size_t depth);

/* Returns a place for one more packet, the newest, all 0; NULL if there is
 * none.
 */
struct coresight_held_packet *coresight_held_add(struct coresight_held *held);

/* The packets end with one more element, all there is of it: the oldest one is
 * committed if there are too many.
 */
bool coresight_held_count(struct coresight_held *held);

/* The oldest @count elements were executed: they are given, and what comes
 * before and right behind each.
 */
bool coresight_held_commit(struct coresight_held *held, size_t count);

/* The newest @count elements were not executed. */
bool coresight_held_cancel(struct coresight_held *held, size_t count);

/* The newest element, an atom, was the other kind, and what is known of where
 * it led is wrong.  It is assumed that no unit says so of another element.
 */
bool coresight_held_mispredict(struct coresight_held *held);

/* Whatever waits is lost. */
void coresight_held_discard(struct coresight_held *held);

#endif
