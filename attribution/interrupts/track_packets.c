/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_roles.h"
#include "attribution/interrupts/object_tracker.h"
#include "attribution/interrupts/packet_map.h"

/* The packets that a CPU handles now. */
struct handling {
	uint64_t at_hand; /* the packet handled now */
	/* uint64_t: received from the device by the open poll; see merge() */
	struct array polled;
	/* uint64_t: received by the network layer in that poll, and still to be
	 * processed, in order
	 */
	struct array next;
};

/* Packets, from the device to the reader, and from the sender to the device
 * that has completed them.
 */
struct packets {
	struct packet_map table;
	struct array cpus; /* struct handling */
};

static void open_packets(void *state, struct owners *owners)
{
	*(struct packets *)state = (struct packets){
		.table = PACKET_MAP_OF(owners),
		.cpus = ARRAY_OF(struct handling),
	};
}

static void close_packets(void *state)
{
	struct packets *packets = state;
	struct handling *cpus = packets->cpus.items;

	packet_map_free(&packets->table);
	for (size_t i = 0; i < packets->cpus.count; i++) {
		array_free(&cpus[i].polled);
		array_free(&cpus[i].next);
	}
	array_free(&packets->cpus);
}

/* Returns the state of the CPU of @context; NULL when out of memory. */
static struct handling *handling_on(struct packets *packets,
				    const struct event_context *context)
{
	struct handling *handling = array_reach_like(
		&packets->cpus, context->cpu,
		&(struct handling){ .polled = ARRAY_OF(uint64_t),
				    .next = ARRAY_OF(uint64_t) });

	if (!handling)
		owners_fail(context->owners);
	return handling;
}

static uint64_t address_of(const struct event_context *context)
{
	return (uint64_t)context->event->values[SKB_ADDRESS];
}

static struct packet *arrive(struct packets *packets,
			     const struct event_context *context)
{
	struct owner *owner = owner_open(context->owners);
	struct packet *packet =
		packet_map_add(&packets->table, address_of(context), owner);

	event_context_effect(context, owner, 1);
	owner_drop(context->owners, owner);
	return packet;
}

static void focus(struct packets *packets, const struct event_context *context,
		  const struct packet *packet)
{
	struct handling *handling = handling_on(packets, context);

	if (!packet || !handling)
		return;
	handling->at_hand = packet->address;
	if (context->slice && interrupt_slice_is_open(context->slice))
		interrupt_slice_focus(context->owners, context->slice,
				      packet->owner);
}

static bool is_poll(const struct event_context *context)
{
	return context->slice && context->slice->kind == INTERRUPT_NAPI;
}

/* A packet arrives in a CPU's own queue, which another poll processes. */
static void arrive_queued(struct packets *packets,
			  const struct event_context *context)
{
	arrive(packets, context);
}

/* A device delivers a packet, which may be merged into another one. */
static void arrive_polled(struct packets *packets,
			  const struct event_context *context)
{
	struct handling *handling = handling_on(packets, context);
	uint64_t address = address_of(context);

	focus(packets, context, arrive(packets, context));
	if (handling && array_append(&handling->polled, &address) < 0)
		owners_fail(context->owners);
}

/* The network layer receives a packet: one that a device or another CPU
 * delivered, or one from a source without events.
 */
static void receive(struct packets *packets,
		    const struct event_context *context)
{
	struct handling *handling = handling_on(packets, context);
	struct packet *packet =
		packet_map_find(&packets->table, address_of(context));

	if (!packet || packet->is_received || packet->is_sent)
		packet = arrive(packets, context);
	else if (context->slice &&
		 !owner_shares_has(&context->slice->effects, packet->owner))
		event_context_effect(context, packet->owner, 1);
	if (packet)
		packet->is_received = true;
	focus(packets, context, packet);
	if (packet && handling && is_poll(context) &&
	    array_append(&handling->next, &packet->address) < 0)
		owners_fail(context->owners);
}

/* The network layer processes the packets it received one after the other,
 * perhaps after it has received all of them: from here on, work is about the
 * first one that still exists.
 */
static void look_at_next(struct packets *packets,
			 const struct event_context *context)
{
	struct handling *handling = handling_on(packets, context);
	const struct packet *packet = NULL;

	while (handling && handling->next.count && !packet) {
		const uint64_t *address = array_at(&handling->next, 0);

		packet = packet_map_find(&packets->table, *address);
		if (packet && !packet->is_received)
			packet = NULL;
		array_remove(&handling->next, 0, 1);
	}
	focus(packets, context, packet);
}

static void role(void *state, const struct event_context *context,
		 enum interrupt_role role, bool has_ended)
{
	if (role == ROLE_TAKES_PACKET && !has_ended && is_poll(context))
		look_at_next(state, context);
}

static void send(struct packets *packets, const struct event_context *context)
{
	struct packet *packet =
		packet_map_find(&packets->table, address_of(context));

	/* Passed from device to device, the packet keeps its owner. */
	if (packet && packet->is_sent && context->slice)
		return;
	packet = packet_map_add(&packets->table, address_of(context),
				event_context_owner(context));
	if (packet)
		packet->is_sent = true;
}

static void transmit(struct packets *packets,
		     const struct event_context *context)
{
	struct packet *packet =
		packet_map_find(&packets->table, address_of(context));

	/* Sending an answer to a packet is part of handling it. */
	if (packet && packet->is_sent && context->slice &&
	    context->slice->current != packet->owner)
		event_context_effect(context, packet->owner, 1);
}

/* Makes the task that reads a packet its owner. Exact: the task copies the
 * packet's data, or consumes it (udp_recvmsg() copies a linear packet without
 * an event). A task that drops a packet has most likely taken it from its own
 * queue.
 */
static void read_by(struct packets *packets,
		    const struct event_context *context, struct packet *packet,
		    enum interrupt_certainty certainty)
{
	if (!packet->is_sent && event_context_is_task(context))
		packet_map_read(&packets->table, packet,
				event_context_owner(context), certainty);
}

static void copy(struct packets *packets, const struct event_context *context)
{
	struct packet *packet =
		packet_map_find(&packets->table, address_of(context));

	if (packet)
		read_by(packets, context, packet, CERTAIN_EXACT);
}

static void finish(struct packets *packets, const struct event_context *context)
{
	struct packet *packet =
		packet_map_find(&packets->table, address_of(context));

	if (!packet)
		return;
	read_by(packets, context, packet,
		context->event->event == EVENT_SKB_CONSUME ? CERTAIN_EXACT :
							     CERTAIN_INFERRED);
	if (packet->is_sent)
		event_context_effect(context, packet->owner, 1);
	packet_map_remove(&packets->table, address_of(context));
}

/* Returns the packet that the interrupt work handles now, or NULL. */
static struct packet *at_hand(struct packets *packets,
			      const struct event_context *context)
{
	const struct handling *handling = handling_on(packets, context);
	struct packet *packet =
		handling && context->slice ?
			packet_map_find(&packets->table, handling->at_hand) :
			NULL;

	return packet && packet->owner == context->slice->current ? packet :
								    NULL;
}

static void deliver(struct packets *packets,
		    const struct event_context *context)
{
	struct packet *packet = at_hand(packets, context);

	if (packet)
		packet->socket =
			(uint64_t)context->event->values[SOCKET_ADDRESS];
}

static void wake(struct packets *packets, const struct event_context *context)
{
	struct packet *packet = at_hand(packets, context);
	int32_t tid = (int32_t)context->event->values[WAKING_TID];

	if (packet && !packet->woken)
		packet->woken = event_context_woken(context, tid);
}

static void event(void *state, const struct event_context *context)
{
	static void (*const takes[KNOWN_EVENTS])(
		struct packets *, const struct event_context *) = {
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
	const enum known_event kind = context->event->event;

	if (takes[kind])
		takes[kind](state, context);
}

/* Packets that a device delivered and the network layer did not receive were
 * merged into those that it did receive.
 */
static void merge(struct packets *packets, const struct event_context *context,
		  const struct packet *packet)
{
	const struct array *effects = &context->slice->effects;
	const struct owner_share *items = effects->items;
	struct array shares = ARRAY_OF(struct owner_share);

	for (size_t i = 0; i < effects->count; i++)
		if (items[i].owner != packet->owner)
			owner_shares_add(context->owners, &shares,
					 items[i].owner, items[i].weight,
					 CERTAIN_INFERRED);
	owner_resolve(context->owners, packet->owner, &shares, CERTAIN_EXACT);
	owner_shares_free(context->owners, &shares);
	packet_map_remove(&packets->table, packet->address);
}

static void end(void *state, const struct event_context *context)
{
	struct packets *packets = state;
	struct handling *handling;
	const uint64_t *polled;

	if (!is_poll(context))
		return;
	handling = handling_on(packets, context);
	polled = handling ? handling->polled.items : NULL;
	for (size_t i = 0; handling && i < handling->polled.count; i++) {
		const struct packet *packet =
			packet_map_find(&packets->table, polled[i]);

		if (packet && !packet->is_received && !packet->is_sent)
			merge(packets, context, packet);
	}
	if (!handling)
		return;
	handling->polled.count = 0;
	handling->next.count = 0;
}

const struct object_tracker track_packets = {
	.state_bytes = sizeof(struct packets),
	.open = open_packets,
	.close = close_packets,
	.event = event,
	.end = end,
	.role = role,
};
