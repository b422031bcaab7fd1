/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/object_tracker.h"
#include "attribution/interrupts/packet_table.h"

#include <stdlib.h>

/* What a CPU does with packets right now. */
struct handling {
	uint64_t at_hand;    /* the packet that came last */
	struct array polled; /* uint64_t: those that the poll that goes on
				 * got from its device; see merge() */
};

/* Packets, from the device to who reads them, and from who sends them to the
 * device that is done with them.
 */
struct packets {
	struct packet_table *table;
	struct array cpus; /* struct handling */
};

static void close_packets(void *state)
{
	struct packets *packets = state;
	struct handling *cpus = packets->cpus.items;

	packet_table_free(packets->table);
	for (size_t i = 0; i < packets->cpus.count; i++)
		array_free(&cpus[i].polled);
	array_free(&packets->cpus);
	free(packets);
}

static void *open_packets(struct claims *claims)
{
	struct packets *packets = calloc(1, sizeof(*packets));

	if (!packets)
		return NULL;
	packets->cpus = ARRAY_OF(struct handling);
	packets->table = packet_table_new(claims);
	if (packets->table)
		return packets;
	close_packets(packets);
	return NULL;
}

/* Returns NULL when out of memory. */
static struct handling *handling_on(struct packets *packets,
				    const struct moment *moment)
{
	while (packets->cpus.count <= moment->cpu) {
		struct handling *handling = array_add(&packets->cpus);

		if (!handling) {
			claims_fail(moment->claims);
			return NULL;
		}
		handling->polled = ARRAY_OF(uint64_t);
	}
	return array_at(&packets->cpus, moment->cpu);
}

static uint64_t address_of(const struct moment *moment)
{
	return (uint64_t)moment->event->values[SKB_ADDRESS];
}

static struct packet *arrive(struct packets *packets,
			     const struct moment *moment)
{
	struct claim *claim = claim_open(moment->claims);
	struct packet *packet =
		packet_table_add(packets->table, address_of(moment), claim);

	moment_effect(moment, claim, 1);
	claim_drop(moment->claims, claim);
	return packet;
}

static void focus(struct packets *packets, const struct moment *moment,
		  const struct packet *packet)
{
	struct handling *handling = handling_on(packets, moment);

	if (!packet || !handling)
		return;
	handling->at_hand = packet->address;
	if (moment->piece && interrupt_piece_is_open(moment->piece))
		interrupt_piece_focus(moment->claims, moment->piece,
				      packet->claim);
}

/* For a CPU's own queue: its poll is another one. */
static void arrive_queued(struct packets *packets, const struct moment *moment)
{
	arrive(packets, moment);
}

/* A device hands a packet over; it may become part of another one. */
static void arrive_polled(struct packets *packets, const struct moment *moment)
{
	struct handling *handling = handling_on(packets, moment);
	uint64_t *slot = handling ? array_add(&handling->polled) : NULL;

	focus(packets, moment, arrive(packets, moment));
	if (slot)
		*slot = address_of(moment);
	else
		claims_fail(moment->claims);
}

/* The network layer gets it: what a device or another CPU handed over, or a
 * packet from where nobody looks.
 */
static void receive(struct packets *packets, const struct moment *moment)
{
	struct packet *packet =
		packet_table_find(packets->table, address_of(moment));

	if (!packet || packet->is_received || packet->is_sent)
		packet = arrive(packets, moment);
	else if (moment->piece && moment->piece->current != packet->claim)
		moment_effect(moment, packet->claim, 1);
	if (packet)
		packet->is_received = true;
	focus(packets, moment, packet);
}

static void send(struct packets *packets, const struct moment *moment)
{
	struct packet *packet =
		packet_table_find(packets->table, address_of(moment));

	/* From device to device, it stays what it is. */
	if (packet && packet->is_sent && moment->piece)
		return;
	packet = packet_table_add(packets->table, address_of(moment),
				  moment_claim(moment));
	if (packet)
		packet->is_sent = true;
}

static void transmit(struct packets *packets, const struct moment *moment)
{
	struct packet *packet =
		packet_table_find(packets->table, address_of(moment));

	if (packet && packet->is_sent)
		moment_effect(moment, packet->claim, 1);
}

/* Who looks at a packet outside of interrupts is who it was for. */
static void read_by(struct packets *packets, const struct moment *moment,
		    struct packet *packet)
{
	if (!packet->is_sent && moment_is_task(moment))
		packet_table_read(packets->table, packet, moment_claim(moment));
}

static void copy(struct packets *packets, const struct moment *moment)
{
	struct packet *packet =
		packet_table_find(packets->table, address_of(moment));

	if (packet)
		read_by(packets, moment, packet);
}

static void finish(struct packets *packets, const struct moment *moment)
{
	struct packet *packet =
		packet_table_find(packets->table, address_of(moment));

	if (!packet)
		return;
	read_by(packets, moment, packet);
	if (packet->is_sent)
		moment_effect(moment, packet->claim, 1);
	packet_table_remove(packets->table, address_of(moment));
}

/* Returns the packet that the interrupt work is about right now, or NULL. */
static struct packet *at_hand(struct packets *packets,
			      const struct moment *moment)
{
	const struct handling *handling = handling_on(packets, moment);
	struct packet *packet =
		handling && moment->piece ?
			packet_table_find(packets->table, handling->at_hand) :
			NULL;

	return packet && packet->claim == moment->piece->current ? packet :
								   NULL;
}

static void deliver(struct packets *packets, const struct moment *moment)
{
	struct packet *packet = at_hand(packets, moment);

	if (packet)
		packet->socket =
			(uint64_t)moment->event->values[SOCKET_ADDRESS];
}

static void wake(struct packets *packets, const struct moment *moment)
{
	struct packet *packet = at_hand(packets, moment);
	int32_t tid = (int32_t)moment->event->values[WAKING_TID];

	if (packet && !packet->woken)
		packet->woken = moment_woken(moment, tid);
}

static void event(void *state, const struct moment *moment)
{
	static void (*const takes[KNOWN_EVENTS])(struct packets *,
						 const struct moment *) = {
		[EVENT_GRO_RECEIVE] = arrive_polled,
		[EVENT_NET_RX] = arrive_queued,
		[EVENT_NET_RECEIVE] = receive,
		[EVENT_NET_QUEUE] = send,
		[EVENT_NET_XMIT] = transmit,
		[EVENT_SKB_COPY] = copy,
		[EVENT_SKB_CONSUME] = finish,
		[EVENT_SKB_FREE] = finish,
		[EVENT_SOCKET_READY] = deliver,
		[EVENT_SCHED_WAKING] = wake,
	};
	const enum known_event kind = moment->event->event;

	if (takes[kind])
		takes[kind](state, moment);
}

/* What a device handed over and the network layer did not get has become part
 * of the packets that it did get.
 */
static void merge(struct packets *packets, const struct moment *moment,
		  const struct packet *packet)
{
	const struct array *effects = &moment->piece->effects;
	const struct stake *items = effects->items;
	struct array stakes = ARRAY_OF(struct stake);

	for (size_t i = 0; i < effects->count; i++)
		if (items[i].claim != packet->claim)
			stakes_add(moment->claims, &stakes, items[i].claim,
				   items[i].weight, CERTAIN_INFERRED);
	claim_settle(moment->claims, packet->claim, &stakes);
	stakes_free(moment->claims, &stakes);
	packet_table_remove(packets->table, packet->address);
}

static void end(void *state, const struct moment *moment)
{
	struct packets *packets = state;
	struct handling *handling;
	const uint64_t *polled;

	if (moment->piece->kind != INTERRUPT_NAPI)
		return;
	handling = handling_on(packets, moment);
	polled = handling ? handling->polled.items : NULL;
	for (size_t i = 0; handling && i < handling->polled.count; i++) {
		const struct packet *packet =
			packet_table_find(packets->table, polled[i]);

		if (packet && !packet->is_received && !packet->is_sent)
			merge(packets, moment, packet);
	}
	if (handling)
		handling->polled.count = 0;
}

const struct object_tracker track_packets = {
	.open = open_packets,
	.close = close_packets,
	.event = event,
	.end = end,
};
