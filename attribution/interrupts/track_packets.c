/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_roles_internal.h"
#include "attribution/interrupts/object_tracker_internal.h"
#include "attribution/interrupts/owners_internal.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Whose packets interrupts handle (struct object_tracker).
 *
 * A received packet gets an open owner when a device or another CPU delivers it
 * (arrive()). The work of the slice counts for that owner while the packet is at
 * hand (focus()). The owner is resolved to the process that reads the packet
 * (read_by(), exact), or, when the packet is freed without that, to the last
 * reader of its socket, or to the first task that it woke (both inferred).
 * A sent packet has its sender as owner from the start, until the device has
 * completed it (finish()).
 *
 * A poll may merge a packet into another one before the network layer receives
 * it: merge() resolves its owner to the owners of the poll's other packets.
 */

/* A packet in the kernel. */
struct packet {
	uint64_t address;    /* address of its struct sk_buff */
	struct owner *owner; /* the owner of work on the packet */
	bool is_sent;	     /* is being sent */
	bool is_received;    /* the network layer has received it */
	uint64_t socket;     /* socket that became readable by it, or 0 */
	struct owner *woken; /* owner of the first task that it woke, or NULL */
	/* struct owner_share: the processes that read it. Several may share its
	 * socket, and each read a part of it.
	 */
	struct array readers;
};

/* The packets in flight, by address. */
struct packet_map {
	struct owners *owners;	   /* borrowed */
	struct number_map packets; /* struct packet * */
	struct owner_map readers;  /* by socket: the last reader */
};

/* The state of this tracker. */
struct packets {
	struct packet_map table;
	struct array cpus; /* struct handling */
};

#define PACKET_MAP_OF(of) \
	((struct packet_map){ .owners = (of), .readers = OWNER_MAP_OF(of) })

static void packet_map_remove(struct packet_map *map, uint64_t address);

/* Adds to the readers of @packet, which no task has read, the last reader of its
 * socket, else the task that it woke.
 */
static void guess_reader(struct packet_map *map, struct packet *packet)
{
	struct owner *reader = owner_map_find(&map->readers, packet->socket);

	if (!reader)
		reader = packet->woken;
	if (reader)
		owner_shares_add(map->owners, &packet->readers, reader, 1,
				 CERTAIN_INFERRED);
}

static void end_packet(struct packet_map *map, struct packet *packet)
{
	if (!packet->readers.count)
		guess_reader(map, packet);
	if (!packet->is_sent)
		owner_resolve(map->owners, packet->owner, &packet->readers,
			      CERTAIN_EXACT);
	owner_shares_free(map->owners, &packet->readers);
	owner_drop(map->owners, packet->owner);
	owner_drop(map->owners, packet->woken);
	free(packet);
}

static void packet_map_free(struct packet_map *map)
{
	struct packet *packet;
	size_t place = 0;

	while ((packet = number_map_next_pointer(&map->packets, &place)))
		end_packet(map, packet);
	number_map_free(&map->packets);
	owner_map_free(&map->readers);
}

/* Returns the packet at @address, or NULL; valid until it is removed. */
static struct packet *packet_map_find(const struct packet_map *map,
				      uint64_t address)
{
	return number_map_pointer(&map->packets, address);
}

/* Adds a packet for @owner, replacing an older one at @address. Returns NULL
 * when out of memory.
 */
static struct packet *packet_map_add(struct packet_map *map, uint64_t address,
				     struct owner *owner)
{
	struct packet *packet = calloc(1, sizeof(*packet));
	struct owner *held = owner_refer(owner);
	uint64_t *value;

	packet_map_remove(map, address);
	value = number_map_add(&map->packets, address);
	if (!packet || !value) {
		owner_drop(map->owners, held);
		owners_fail(map->owners);
		free(packet);
		return NULL;
	}
	*packet = (struct packet){ .address = address,
				   .owner = held,
				   .readers = ARRAY_OF(struct owner_share) };
	*value = (uintptr_t)packet;
	return packet;
}

/* Removes a packet. If it is not a sent one, resolves its owner to its readers,
 * else to the last reader of its socket, else to the task it woke, else to
 * nobody. Only tasks that read it are exact.
 */
static void packet_map_remove(struct packet_map *map, uint64_t address)
{
	struct packet *packet = number_map_take_pointer(&map->packets, address);

	if (packet)
		end_packet(map, packet);
}

/* Records with @certainty that @owner read @packet, and is thus the reader of
 * its socket.
 */
static void packet_map_read(struct packet_map *map, struct packet *packet,
			    struct owner *owner, uint8_t certainty)
{
	if (!owner_shares_has(&packet->readers, owner))
		owner_shares_add(map->owners, &packet->readers, owner, 1,
				 certainty);
	if (packet->socket)
		owner_map_set(&map->readers, packet->socket, owner);
}

/* The packets that a CPU handles now. */
struct handling {
	uint64_t at_hand; /* address of the packet handled now */
	/* uint64_t: received from the device by the open poll; see merge() */
	struct array polled;
	/* uint64_t: received by the network layer in that poll, and still to be
	 * processed, in order
	 */
	struct array next;
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

/* Adds the packet of the event, with an open owner. */
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

/* From now on the open slice works for @packet (NULL: no change). */
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

/* Handles a packet that arrives in a CPU's own queue, which another poll
 * processes.
 */
static void arrive_queued(struct packets *packets,
			  const struct event_context *context)
{
	arrive(packets, context);
}

/* Handles a packet that a device delivers, and that may be merged into another
 * one.
 */
static void arrive_polled(struct packets *packets,
			  const struct event_context *context)
{
	struct handling *handling = handling_on(packets, context);
	uint64_t address = address_of(context);

	focus(packets, context, arrive(packets, context));
	if (handling && array_append(&handling->polled, &address) < 0)
		owners_fail(context->owners);
}

/* Handles a packet that the network layer receives: one that a device or
 * another CPU delivered, or one from a source without events.
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

/* From now on the slice works for the next packet of the poll that still exists:
 * the network layer may receive all packets of a poll before it processes them,
 * one after the other.
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
	if (has_ended || !is_poll(context))
		return;
	if (role == ROLE_TAKES_PACKET)
		look_at_next(state, context);
	else if (role == ROLE_COPIES_PACKET)
		context->slice->has_others = true;
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

/* Makes the task that reads a packet an owner of it. Exact: the task copies the
 * packet's data, or consumes it (udp_recvmsg() copies a linear packet without
 * an event).
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

/* Handles the end of a packet. A task that drops a packet that no task has read
 * has most likely taken it from its own queue.
 */
static void finish(struct packets *packets, const struct event_context *context)
{
	struct packet *packet =
		packet_map_find(&packets->table, address_of(context));

	if (!packet)
		return;
	if (context->event->event == EVENT_SKB_CONSUME)
		read_by(packets, context, packet, CERTAIN_EXACT);
	else if (!packet->readers.count)
		read_by(packets, context, packet, CERTAIN_INFERRED);
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

static void packets_event(void *state, const struct event_context *context)
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

/* Returns the packet at @address if a device delivered it and the network layer
 * did not receive it, else NULL: the poll merged it into its other packets.
 */
static const struct packet *merged_packet(const struct packets *packets,
					  uint64_t address)
{
	const struct packet *packet = packet_map_find(&packets->table, address);

	return packet && !packet->is_received && !packet->is_sent ? packet :
								    NULL;
}

/* Returns the shares of the owners of what the poll of @context did, except
 * @merged (struct owner_share).
 */
static struct array other_effects(const struct event_context *context,
				  const struct array *merged)
{
	const struct array *effects = &context->slice->effects;
	const struct owner_share *items = effects->items;
	struct array shares = ARRAY_OF(struct owner_share);

	for (size_t i = 0; i < effects->count; i++)
		if (!owner_shares_has(merged, items[i].owner))
			owner_shares_add(context->owners, &shares,
					 items[i].owner, items[i].weight,
					 CERTAIN_INFERRED);
	return shares;
}

/* Resolves the owners of the merged packets at @addresses (uint64_t) to the
 * owners of the packets into which the poll may have merged them.
 */
static void merge(struct packets *packets, const struct event_context *context,
		  const struct array *addresses)
{
	const uint64_t *items = addresses->items;
	struct array merged = ARRAY_OF(struct owner_share);
	struct array shares;

	for (size_t i = 0; i < addresses->count; i++) {
		const struct packet *packet = merged_packet(packets, items[i]);

		if (packet)
			owner_shares_add(context->owners, &merged,
					 packet->owner, 1, CERTAIN_EXACT);
	}
	shares = other_effects(context, &merged);
	for (size_t i = 0; i < addresses->count; i++) {
		const struct packet *packet = merged_packet(packets, items[i]);

		if (!packet)
			continue;
		owner_resolve(context->owners, packet->owner, &shares,
			      CERTAIN_EXACT);
		packet_map_remove(&packets->table, packet->address);
	}
	owner_shares_free(context->owners, &shares);
	owner_shares_free(context->owners, &merged);
}

static void packets_end(void *state, const struct event_context *context)
{
	struct packets *packets = state;
	struct handling *handling =
		is_poll(context) ? handling_on(packets, context) : NULL;

	if (!handling)
		return;
	merge(packets, context, &handling->polled);
	handling->polled.count = 0;
	handling->next.count = 0;
}

const struct object_tracker track_packets = {
	.state_bytes = sizeof(struct packets),
	.open = open_packets,
	.close = close_packets,
	.event = packets_event,
	.end = packets_end,
	.role = role,
};

/* The network devices of a CPU that are scheduled to be polled. net/core/dev.c
 * polls them in the order they were scheduled.
 */
struct waiting {
	struct array polls; /* struct owner *, starting at first */
	size_t first;
	bool is_raised; /* another round will follow */
};

/* Connects the interrupt that schedules a device's poll with that poll. */
struct polls {
	struct owners *owners;
	struct array cpus; /* struct waiting, by CPU */
};

static void clear(struct polls *polls, struct waiting *waiting)
{
	struct owner **items = waiting->polls.items;

	for (size_t i = waiting->first; i < waiting->polls.count; i++)
		owner_drop(polls->owners, items[i]);
	waiting->first = 0;
	waiting->polls.count = 0;
}

static void open_polls(void *state, struct owners *owners)
{
	*(struct polls *)state =
		(struct polls){ owners, ARRAY_OF(struct waiting) };
}

static void close_polls(void *state)
{
	struct polls *polls = state;
	struct waiting *cpus = polls->cpus.items;

	for (size_t i = 0; i < polls->cpus.count; i++) {
		clear(polls, &cpus[i]);
		array_free(&cpus[i].polls);
	}
	array_free(&polls->cpus);
}

static struct waiting *waiting_on(struct polls *polls, uint32_t cpu)
{
	struct waiting *waiting = array_reach_like(
		&polls->cpus, cpu,
		&(struct waiting){ .polls = ARRAY_OF(struct owner *) });

	if (!waiting)
		owners_fail(polls->owners);
	return waiting;
}

/* Consumes the reference to @owner. */
static void push(struct polls *polls, uint32_t cpu, struct owner *owner)
{
	struct waiting *waiting = waiting_on(polls, cpu);

	if (waiting && !array_append(&waiting->polls, &owner))
		return;
	owners_fail(polls->owners);
	owner_drop(polls->owners, owner);
}

static void polls_role(void *state, const struct event_context *context,
		       enum interrupt_role polls_role, bool has_ended)
{
	struct owner *owner;

	if (polls_role != ROLE_SCHEDULES_POLL || has_ended)
		return;
	owner = owner_open(context->owners);
	if (context->slice)
		context->slice->polls = true;
	/* A poll that schedules another one works for its own packets. */
	if (context->slice && context->slice->kind != INTERRUPT_NAPI)
		event_context_effect(context, owner, 1);
	push(state, context->cpu, owner);
}

static bool is_round(const struct event_context *context)
{
	return context->slice->role == ROLE_ACTION &&
	       interrupt_role_vector(context->roles,
				     context->slice->function) ==
		       NET_RX_SOFTIRQ;
}

static void polls_begin(void *state, const struct event_context *context)
{
	struct waiting *waiting;
	struct owner **owner;
	bool begins_round = is_round(context);

	if (context->slice->kind != INTERRUPT_NAPI && !begins_round)
		return;
	waiting = waiting_on(state, context->cpu);
	if (waiting && begins_round)
		waiting->is_raised = false;
	if (begins_round || !waiting || waiting->first == waiting->polls.count)
		return;
	owner = array_at(&waiting->polls, waiting->first++);
	interrupt_slice_cause(context->owners, context->slice, *owner);
	if (waiting->first == waiting->polls.count)
		clear(state, waiting);
}

/* Clears the CPU's list at the end of a round if no other round follows: the
 * kernel's list is empty then.
 */
static void polls_end(void *state, const struct event_context *context)
{
	struct waiting *waiting =
		is_round(context) ? waiting_on(state, context->cpu) : NULL;

	if (waiting && !waiting->is_raised)
		clear(state, waiting);
}

static void polls_event(void *state, const struct event_context *context)
{
	const struct event_record *record = context->event;
	struct waiting *waiting;

	if (record->event == EVENT_SOFTIRQ_RAISE &&
	    record->values[SOFTIRQ_VECTOR] == NET_RX_SOFTIRQ) {
		waiting = waiting_on(state, context->cpu);
		if (waiting)
			waiting->is_raised = true;
	}
	/* The poll is not finished, and is scheduled again. */
	if (record->event == EVENT_NAPI_POLL && record->values[NAPI_BUDGET] &&
	    record->values[NAPI_WORK] >= record->values[NAPI_BUDGET])
		push(state, context->cpu, owner_open(context->owners));
}

const struct object_tracker track_polls = {
	.state_bytes = sizeof(struct polls),
	.open = open_polls,
	.close = close_polls,
	.event = polls_event,
	.begin = polls_begin,
	.end = polls_end,
	.role = polls_role,
};
