/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_roles_internal.h"
#include "attribution/interrupts/object_tracker_internal.h"
#include "attribution/interrupts/owners_internal.h"
#include "attribution/interrupts/packet_events_internal.h"
#include "attribution/packets/net_packets.h"
#include "common/container_of.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Whose packets interrupts handle (struct object_tracker). net_packets.h tracks
 * the packets; an owner is added to each.
 *
 * A received packet gets an open owner when a device or another CPU delivers it
 * (arrive()). The work of the slice counts for that owner while the slice
 * handles the packet (focus()). The owner is resolved to the process that reads
 * the packet (read_by(), exact). If the packet ends without being read, it is
 * resolved to the first of these that is known, as inferred (guess()):
 *
 *  1. the task that the tracker infers (net_packets_user()), or else the first
 *     task that it woke;
 *  2. if its sender is on this machine, the process that sent the last packet to
 *     that sender, or the sender;
 *  3. the user of the device's queue that it came from: the last one or, if the
 *     queue has had none, the next one;
 *  4. the task that sent last.
 *
 * Acknowledgements, and packets that were merged in the socket's queue or in its
 * backlog, end without an event: another packet then uses their address. A sent
 * packet has its sender as owner from the start, until the device has completed
 * it (finish()). A packet may be cut into several before the device gets them; it
 * is then freed without having been transmitted, and unknown packets that are
 * transmitted after that are inferred to be its parts.
 *
 * The address of an acknowledgement may become that of another packet, or of a
 * message of another kind of socket, which some other task reads. If no socket was seen to queue a packet, a read of it is not exact (read_by()),
 * and a read by a process other than the socket's user was of something else
 * (is_reused()).
 *
 * A poll that finds no packet is charged to the last user of its queue, as
 * inferred (note_user()). A poll may merge packets that a device delivers into
 * others before the network layer receives these: merge() charges the merged
 * packets to the owners of the packets that were received.
 */

/* The owner of work on a packet that is tracked (net_packet.extra). */
struct packet {
	struct net_packet *tracked;
	struct owner *owner;
	/* its poll has not ended; the queue is known when it ends */
	bool is_in_poll;
	uint32_t cpu;	     /* CPU that polls the device */
	uint64_t queue;	     /* queue of the device that received it, or 0 */
	struct owner *woken; /* owner of the first task that it woke, or NULL */
	/* of a received packet: its sender, if that is on this machine; else
	 * NULL
	 */
	struct owner *sender;
	/* struct owner_share: processes that read it. Several processes may
	 * share its socket and each read a part.
	 */
	struct array readers;
};

/* A received packet that ended before its poll, or before its queue had a
 * user.
 */
struct undecided {
	struct owner *owner;
	/* the task that had sent last when the packet ended; or NULL */
	struct owner *talker;
};

/* A queue of a device. */
struct device_queue {
	uint64_t address;
	/* the process that used the socket of the queue's last packet; or NULL
	 */
	struct owner *user;
	struct owner *sender;	/* of the packet freed last there; or NULL */
	struct array undecided; /* struct undecided: while there is no user */
};

/* So many undecided packets of a queue wait for its user. The others are decided
 * without one: most queues without connections never get a user.
 */
enum { MOST_UNDECIDED = 256 };

/* The packets that a CPU handles now. */
struct handling {
	uint64_t at_hand; /* address of the packet handled now */
	/* packets that the open poll got from its device, and that the network
	 * layer received in it
	 */
	uint32_t polled;
	uint32_t received;
	/* owner of packets that a poll held back, see merge(); or NULL */
	struct owner *held;
	/* user of the socket of the poll's last packet; or NULL */
	struct owner *user;
	/* sender of the packet that the poll freed last; or NULL */
	struct owner *done;
	/* open owner of the last poll if that found no packet; or NULL */
	struct owner *idle;
	/* uint64_t: addresses of packets that the network layer received in the
	 * poll and has not processed, in order
	 */
	struct array next;
	/* uint64_t: addresses of all packets received in the poll */
	struct array got;
	struct array undecided; /* struct undecided: of the poll */
	/* Owners of the last sent packet freed on this CPU: cut, if no device
	 * had got it (as inferred); freed, if one had.
	 */
	struct owner *cut;
	struct owner *freed;
	/* owner of the freed packet whose connection will send more; or NULL */
	struct owner *sender;
	/* it learns a neighbour's address, and sends the packets that wait */
	bool sends_waiting;
};

/* The state of this tracker. */
struct packets {
	struct net_observer observer;
	struct net_packets tracked;
	struct owners *owners;	   /* borrowed */
	struct array cpus;	   /* struct handling, by CPU */
	struct keyed_array queues; /* struct device_queue */
	struct owner *talker;	   /* the task that sent last; or NULL */
	/* CPU whose poll delivered a packet, by address, until the network layer
	 * receives it
	 */
	struct number_map polled;
	/* owner of the packet that this machine sends to itself; or NULL */
	struct owner *passed;
};

/* Returns the state of @cpu; NULL when out of memory. */
static struct handling *handling_of(struct packets *packets, uint32_t cpu)
{
	struct handling *handling = array_reach_like(
		&packets->cpus, cpu,
		&(struct handling){ .next = ARRAY_OF(uint64_t),
				    .got = ARRAY_OF(uint64_t),
				    .undecided = ARRAY_OF(struct undecided) });

	if (!handling)
		owners_fail(packets->owners);
	return handling;
}

static struct handling *handling_on(struct packets *packets,
				    const struct event_context *context)
{
	return handling_of(packets, context->cpu);
}

/* Returns the queue at @address; NULL when out of memory. */
static struct device_queue *queue_of(struct packets *packets, uint64_t address)
{
	struct device_queue *queue = keyed_array_add(
		&packets->queues,
		&(struct device_queue){ .address = address,
					.undecided =
						ARRAY_OF(struct undecided) });

	if (!queue)
		owners_fail(packets->owners);
	return queue;
}

/* Returns the process that used the socket of @tracked last, or NULL. */
static struct owner *socket_user(const struct packets *packets,
				 const struct net_packet *tracked)
{
	const struct task *user =
		net_packets_socket_user(&packets->tracked, tracked);

	return user ? owner_process(packets->owners, user->pid) : NULL;
}

/* Returns the owner to charge for a received @packet whose reader is unknown,
 * or NULL. Only the task that sent last is known of a packet without a poll.
 */
static struct owner *guess(const struct packets *packets,
			   const struct packet *packet)
{
	struct task user =
		packet->tracked->ended_ns ?
			packet->tracked->task :
			net_packets_user(&packets->tracked, packet->tracked);
	const struct device_queue *queue;

	if (user.pid >= 0)
		return owner_process(packets->owners, user.pid);
	if (packet->woken)
		return packet->woken;
	if (packet->sender)
		return owner_known(packet->sender);
	if (packet->is_in_poll)
		return NULL;
	if (!packet->queue)
		return packets->talker;
	queue = keyed_array_find(&packets->queues, &packet->queue);
	return queue ? queue->user : NULL;
}

/* Charges the first @count of @undecided (struct undecided) to @user or, if that
 * is NULL, to the tasks that sent before them, and removes them.
 */
static void decide(struct packets *packets, struct array *undecided,
		   size_t count, struct owner *user)
{
	const struct undecided *items = undecided->items;

	for (size_t i = 0; i < count; i++) {
		struct owner *to = user ? user : items[i].talker;

		if (to)
			owner_resolve_to(packets->owners, items[i].owner, to,
					 CERTAIN_INFERRED);
		owner_drop(packets->owners, items[i].owner);
	}
	array_remove(undecided, 0, count);
}

/* Adds @item, with its reference, to @undecided. */
static void wait_for_user(struct packets *packets, struct array *undecided,
			  const struct undecided *item)
{
	if (undecided->count == 2 * MOST_UNDECIDED)
		decide(packets, undecided, MOST_UNDECIDED, NULL);
	if (!array_append(undecided, item))
		return;
	owner_drop(packets->owners, item->owner);
	owners_fail(packets->owners);
}

/* Keeps the owner of @packet open until its queue has a user. */
static void put_off(struct packets *packets, const struct packet *packet)
{
	const struct undecided item = { owner_refer(packet->owner),
					packets->talker };
	struct handling *handling = handling_of(packets, packet->cpu);
	struct device_queue *queue =
		packet->is_in_poll ? NULL : queue_of(packets, packet->queue);

	if (queue)
		wait_for_user(packets, &queue->undecided, &item);
	else if (packet->is_in_poll && handling)
		wait_for_user(packets, &handling->undecided, &item);
	else
		owner_drop(packets->owners, item.owner);
}

/* Decides the packets of the poll on @handling, which has ended, and of its
 * @queue, if the queue has a user now.
 */
static void decide_poll(struct packets *packets, struct handling *handling,
			struct device_queue *queue)
{
	struct array *of_poll = &handling->undecided;

	if (queue->user) {
		decide(packets, &queue->undecided, queue->undecided.count,
		       queue->user);
		decide(packets, of_poll, of_poll->count, queue->user);
	}
	for (size_t i = 0; i < of_poll->count; i++)
		wait_for_user(packets, &queue->undecided, array_at(of_poll, i));
	of_poll->count = 0;
}

static bool is_sent(const struct packet *packet)
{
	return packet->tracked->kind == NET_SENT;
}

/* Resolves the owner of a received packet to its readers, else to guess(), else
 * to nobody. Only readers are exact.
 */
static void resolve(struct packets *packets, struct packet *packet)
{
	struct owner *guessed =
		packet->tracked->received_ns ? guess(packets, packet) : NULL;

	if (!packet->readers.count && guessed)
		owner_shares_add(packets->owners, &packet->readers, guessed, 1,
				 CERTAIN_INFERRED);
	if (!packet->readers.count && (packet->is_in_poll || packet->queue))
		put_off(packets, packet);
	else
		owner_resolve(packets->owners, packet->owner, &packet->readers,
			      CERTAIN_EXACT);
}

static void end_packet(struct net_observer *observer,
		       struct net_packet *tracked)
{
	struct packets *packets =
		container_of(observer, struct packets, observer);
	struct packet *packet = tracked->extra;

	if (!packet)
		return;
	if (!is_sent(packet))
		resolve(packets, packet);
	owner_shares_free(packets->owners, &packet->readers);
	owner_drop(packets->owners, packet->owner);
	owner_drop(packets->owners, packet->woken);
	owner_drop(packets->owners, packet->sender);
	free(packet);
	tracked->extra = NULL;
}

/* Returns the packet at @address, or NULL; valid until it ends. */
static struct packet *find(const struct packets *packets, uint64_t address)
{
	const struct net_packet *tracked =
		net_packets_find(&packets->tracked, address);

	return tracked ? tracked->extra : NULL;
}

/* Adds @owner to the packet at @address, which has none yet. Returns NULL when
 * out of memory.
 */
static struct packet *add(struct packets *packets, uint64_t address,
			  struct owner *owner)
{
	struct net_packet *tracked =
		net_packets_find(&packets->tracked, address);
	struct packet *packet = tracked ? calloc(1, sizeof(*packet)) : NULL;

	if (!packet) {
		owners_fail(packets->owners);
		return NULL;
	}
	*packet = (struct packet){ .tracked = tracked,
				   .owner = owner_refer(owner),
				   .readers = ARRAY_OF(struct owner_share) };
	tracked->extra = packet;
	return packet;
}

/* Sets @slot, a member of struct handling, to @owner or NULL. */
static void hold(struct owners *owners, struct owner **slot,
		 struct owner *owner)
{
	struct owner *before = *slot;

	*slot = owner ? owner_refer(owner) : NULL;
	owner_drop(owners, before);
}

static void open_packets(void *state, struct owners *owners)
{
	struct packets *packets = state;

	*packets = (struct packets){
		.observer.ended = end_packet,
		.owners = owners,
		.cpus = ARRAY_OF(struct handling),
		.queues = KEYED_ARRAY_OF(struct device_queue, address),
	};
	net_packets_open(&packets->tracked, &packets->observer);
}

struct net_packets *track_packets_tracked(void *state)
{
	return &((struct packets *)state)->tracked;
}

static void close_handling(struct packets *packets, struct handling *handling)
{
	decide(packets, &handling->undecided, handling->undecided.count, NULL);
	owner_drop(packets->owners, handling->held);
	owner_drop(packets->owners, handling->user);
	owner_drop(packets->owners, handling->done);
	owner_drop(packets->owners, handling->idle);
	owner_drop(packets->owners, handling->cut);
	owner_drop(packets->owners, handling->freed);
	owner_drop(packets->owners, handling->sender);
	array_free(&handling->next);
	array_free(&handling->got);
	array_free(&handling->undecided);
}

static void close_packets(void *state)
{
	struct packets *packets = state;
	struct device_queue *queues;

	if (net_packets_end(&packets->tracked) < 0)
		owners_fail(packets->owners);
	net_packets_close(&packets->tracked);
	queues = packets->queues.items.items;
	for (size_t i = 0; i < packets->queues.items.count; i++) {
		decide(packets, &queues[i].undecided, queues[i].undecided.count,
		       NULL);
		array_free(&queues[i].undecided);
		owner_drop(packets->owners, queues[i].user);
		owner_drop(packets->owners, queues[i].sender);
	}
	for (size_t i = 0; i < packets->cpus.count; i++)
		close_handling(packets, array_at(&packets->cpus, i));
	keyed_array_free(&packets->queues);
	array_free(&packets->cpus);
	number_map_free(&packets->polled);
	owner_drop(packets->owners, packets->passed);
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
	struct packet *packet = add(packets, address_of(context), owner);

	event_context_effect(context, owner, 1);
	owner_drop(context->owners, owner);
	return packet;
}

/* Makes the open slice work for @packet from now on. NULL: no change. */
static void focus(struct packets *packets, const struct event_context *context,
		  const struct packet *packet)
{
	struct handling *handling = handling_on(packets, context);

	if (!packet || !handling)
		return;
	handling->at_hand = packet->tracked->address;
	if (context->slice && interrupt_slice_is_open(context->slice))
		interrupt_slice_focus(context->owners, context->slice,
				      packet->owner);
}

static bool is_poll(const struct event_context *context)
{
	return context->slice && context->slice->kind == INTERRUPT_NAPI;
}

/* Handles a packet that arrives in a CPU's own queue (the backlog), which a
 * later poll processes. It often comes from this machine itself.
 */
static void arrive_queued(struct packets *packets,
			  const struct event_context *context)
{
	struct packet *packet = arrive(packets, context);

	if (!packet)
		return;
	packet->sender = packets->passed;
	packets->passed = NULL;
}

/* Counts a packet that a device delivers. The packet may be merged into another one, so that the
 * next packet may have the same address.
 */
static void arrive_polled(struct packets *packets,
			  const struct event_context *context)
{
	struct handling *handling = handling_on(packets, context);
	uint64_t *cpu = number_map_add(&packets->polled, address_of(context));

	if (handling)
		handling->polled++;
	if (cpu)
		*cpu = context->cpu;
	else
		owners_fail(context->owners);
}

/* Charges what a poll of another CPU held back to the owner of @packet, which it
 * had passed on to this CPU (receive packet steering).
 */
static void receive_passed(struct packets *packets,
			   const struct event_context *context,
			   const struct packet *packet)
{
	const uint64_t *cpu =
		number_map_find(&packets->polled, packet->tracked->address);
	struct handling *from = cpu && *cpu != context->cpu ?
					array_at(&packets->cpus, *cpu) :
					NULL;

	if (from && from->held) {
		owner_resolve_to(context->owners, from->held, packet->owner,
				 CERTAIN_INFERRED);
		owner_drop(context->owners, from->held);
		from->held = NULL;
	}
	number_map_remove(&packets->polled, packet->tracked->address);
}

/* Handles a packet that the network layer receives. It was delivered by a
 * device or another CPU, or comes from a source without events.
 */
static void receive(struct packets *packets,
		    const struct event_context *context)
{
	struct handling *handling = handling_on(packets, context);
	struct packet *packet = find(packets, address_of(context));

	if (!packet)
		packet = arrive(packets, context);
	else if (context->slice &&
		 !owner_shares_has(&context->slice->effects, packet->owner))
		event_context_effect(context, packet->owner, 1);
	if (packet)
		receive_passed(packets, context, packet);
	if (handling)
		handling->received++;
	focus(packets, context, packet);
	if (!packet || !handling || !is_poll(context))
		return;
	packet->is_in_poll = true;
	packet->cpu = context->cpu;
	if (array_append(&handling->next, &packet->tracked->address) < 0 ||
	    array_append(&handling->got, &packet->tracked->address) < 0)
		owners_fail(context->owners);
}

/* Makes the slice work for the next packet of the poll that still exists: the
 * network layer may receive all packets of a poll before it processes them, one
 * after the other.
 */
static void look_at_next(struct packets *packets,
			 const struct event_context *context)
{
	struct handling *handling = handling_on(packets, context);
	const struct packet *packet = NULL;

	while (handling && handling->next.count && !packet) {
		const uint64_t *address = array_at(&handling->next, 0);

		packet = find(packets, *address);
		if (packet && !packet->tracked->received_ns)
			packet = NULL;
		array_remove(&handling->next, 0, 1);
	}
	focus(packets, context, packet);
}

/* Applies a step of interrupt or other work to the tracked packets. */
static void track_role(struct packets *packets,
		       const struct event_context *context,
		       enum interrupt_role role, bool has_ended)
{
	struct handling *handling = handling_on(packets, context);
	char device[NET_DEVICE_SIZE];
	struct net_event event;
	int status = 0;

	if (role == ROLE_LEARNS_NEIGHBOUR && handling) {
		handling->sends_waiting = !has_ended;
	} else if (role == ROLE_LOOKS_FOR_NEIGHBOUR && has_ended) {
		status = net_packets_resolve(&packets->tracked, context->task,
					     context->time_ns);
	} else if (role == ROLE_STARTS_CONNECTION) {
		event = packet_event_of(context, device);
		status = net_packets_request(&packets->tracked, &event);
	}
	if (status < 0)
		owners_fail(packets->owners);
}

static void role(void *state, const struct event_context *context,
		 enum interrupt_role role, bool has_ended)
{
	track_role(state, context, role, has_ended);
	if (has_ended || !is_poll(context))
		return;
	if (role == ROLE_TAKES_PACKET)
		look_at_next(state, context);
	else if (role == ROLE_COPIES_PACKET)
		context->slice->has_others = true;
}

static void send_packet(struct packets *packets,
			const struct event_context *context)
{
	if (event_context_is_task(context))
		packets->talker = event_context_owner(context);
	/* Else it is passed from device to device. */
	if (!find(packets, address_of(context)))
		add(packets, address_of(context), event_context_owner(context));
}

static void transmit(struct packets *packets,
		     const struct event_context *context)
{
	const struct net_packet *tracked =
		net_packets_find(&packets->tracked, address_of(context));
	const struct handling *handling = handling_on(packets, context);
	const struct packet *packet = tracked ? tracked->extra : NULL;

	if (!tracked || tracked->kind != NET_SENT)
		return;
	/* a part of the packet that was cut last */
	if (!packet && handling && handling->cut)
		packet = add(packets, tracked->address, handling->cut);
	/* Sending an answer to a packet is part of handling it. */
	if (packet && context->slice &&
	    context->slice->current != packet->owner)
		event_context_effect(context, packet->owner, 1);
}

/* Returns whether @reader probably reads something else that is now at the
 * address of @packet: no socket queued the packet, and @reader is not the user
 * of its socket.
 */
static bool is_reused(const struct packets *packets,
		      const struct packet *packet, const struct owner *reader)
{
	return packets->tracked.reports_queued && !packet->tracked->queued_ns &&
	       socket_user(packets, packet->tracked) != reader;
}

/* Makes the task that reads a packet an owner of it. The read is exact if a
 * socket queued the packet, and the task copies its data or consumes it
 * (udp_recvmsg() copies a linear packet without an event).
 */
static void read_by(struct packets *packets,
		    const struct event_context *context, struct packet *packet,
		    enum interrupt_certainty certainty)
{
	struct owner *reader = event_context_owner(context);

	if (is_sent(packet) || !event_context_is_task(context) ||
	    is_reused(packets, packet, reader))
		return;
	if (packets->tracked.reports_queued && !packet->tracked->queued_ns)
		certainty = CERTAIN_INFERRED;
	if (!owner_shares_has(&packet->readers, reader))
		owner_shares_add(packets->owners, &packet->readers, reader, 1,
				 certainty);
}

static void copy(struct packets *packets, const struct event_context *context)
{
	struct packet *packet = find(packets, address_of(context));

	if (packet)
		read_by(packets, context, packet, CERTAIN_EXACT);
}

/* Records the owner of a sent @packet that is freed now, in cut or freed. */
static void note_end(struct packets *packets,
		     const struct event_context *context,
		     const struct packet *packet)
{
	struct handling *handling = handling_on(packets, context);
	struct owner **noted;
	struct owner *owner;

	if (!handling)
		return;
	noted = packet->tracked->issued_ns ? &handling->freed : &handling->cut;
	owner = packet->tracked->issued_ns ? owner_refer(packet->owner) :
					     owner_open(context->owners);
	if (!packet->tracked->issued_ns)
		owner_resolve_to(context->owners, owner, packet->owner,
				 CERTAIN_INFERRED);
	owner_drop(context->owners, *noted);
	*noted = owner;
	if (packet->tracked->issued_ns && is_poll(context))
		hold(context->owners, &handling->done, owner);
}

/* Handles the end of a packet. A task that drops a packet that no task has read
 * has most likely taken it from its own queue.
 */
static void finish(struct packets *packets, const struct event_context *context)
{
	struct packet *packet = find(packets, address_of(context));

	if (!packet)
		return;
	if (context->event->event == EVENT_SKB_CONSUME)
		read_by(packets, context, packet, CERTAIN_EXACT);
	else if (!packet->readers.count)
		read_by(packets, context, packet, CERTAIN_INFERRED);
	if (is_sent(packet)) {
		event_context_effect(context, packet->owner, 1);
		note_end(packets, context, packet);
	}
}

/* Remembers the owner of a packet that this machine sent to itself. */
static void pass(struct packets *packets, const struct event_context *context)
{
	const struct packet *packet = find(packets, address_of(context));

	hold(packets->owners, &packets->passed,
	     packet && is_sent(packet) ? packet->owner : NULL);
}

/* Returns the packet that the interrupt work handles now, or NULL. */
static struct packet *at_hand(struct packets *packets,
			      const struct event_context *context)
{
	const struct handling *handling = handling_on(packets, context);
	struct packet *packet = handling && context->slice ?
					find(packets, handling->at_hand) :
					NULL;

	return packet && packet->owner == context->slice->current ? packet :
								    NULL;
}

/* Handles the event that a connection processes the packet: in an interrupt, or
 * in a task that used the socket when the packet arrived.
 */
static void process(struct packets *packets,
		    const struct event_context *context)
{
	const struct packet *packet = find(packets, address_of(context));
	struct handling *handling = handling_on(packets, context);
	struct owner *user;

	if (!packet || is_sent(packet) || !handling)
		return;
	user = socket_user(packets, packet->tracked);
	/* A task may process it during another CPU's poll. */
	if (user && packet->is_in_poll && packet->cpu == context->cpu &&
	    is_poll(context))
		hold(context->owners, &handling->user, user);
}

static void wake(struct packets *packets, const struct event_context *context)
{
	struct packet *packet = at_hand(packets, context);
	int32_t tid = (int32_t)context->event->values[WAKING_TID];

	if (packet && !packet->woken)
		packet->woken = event_context_woken(context, tid);
}

/* Records the user of @queue, whose poll has ended. If the poll found no packet,
 * it is charged to the last known user of the queue: the driver has received or
 * freed the packets that caused the poll before, in an earlier poll or when it
 * sent more packets.
 */
static void note_user(struct owners *owners, struct handling *handling,
		      struct device_queue *queue)
{
	struct owner *user;

	if (handling->user)
		hold(owners, &queue->user, handling->user);
	if (handling->done && handling->done != owner_nobody(owners))
		hold(owners, &queue->sender, handling->done);
	user = queue->user ? queue->user : queue->sender;
	if (handling->idle && user)
		owner_resolve_to(owners, handling->idle, user,
				 CERTAIN_INFERRED);
	hold(owners, &handling->user, NULL);
	hold(owners, &handling->done, NULL);
	hold(owners, &handling->idle, NULL);
}

/* Handles the end of a poll: its packets came from this queue. */
static void end_poll(struct packets *packets,
		     const struct event_context *context)
{
	struct handling *handling = handling_on(packets, context);
	uint64_t address = (uint64_t)context->event->values[NAPI_ADDRESS];
	struct device_queue *queue;
	const uint64_t *got = handling ? handling->got.items : NULL;

	for (size_t i = 0; handling && i < handling->got.count; i++) {
		struct packet *packet = find(packets, got[i]);

		/* Another CPU's poll may have got another packet there since. */
		if (!packet || !packet->is_in_poll ||
		    packet->cpu != context->cpu)
			continue;
		packet->queue = address;
		packet->is_in_poll = false;
	}
	if (!handling)
		return;
	handling->got.count = 0;
	queue = queue_of(packets, address);
	if (!queue)
		return;
	note_user(packets->owners, handling, queue);
	decide_poll(packets, handling, queue);
}

/* Applies an event to the tracked packets. */
static void track(struct packets *packets, const struct event_context *context)
{
	struct handling *handling = handling_on(packets, context);
	char device[NET_DEVICE_SIZE];
	struct net_event event;

	if (!handling || !packet_event_is_used(context->event->event))
		return;
	event = packet_event_of(context, device);
	event.sends_waiting = handling->sends_waiting;
	/* In that soft interrupt, the packet's connection sends more. */
	if (event.kind == EVENT_SOFTIRQ_RAISE &&
	    net_packets_sends_more(&packets->tracked, &event))
		hold(packets->owners, &handling->sender, handling->freed);
	if (net_packets_consume(&packets->tracked, &event) < 0)
		owners_fail(packets->owners);
}

typedef void packet_consumer(struct packets *packets,
			     const struct event_context *context);

static void packets_event(void *state, const struct event_context *context)
{
	static packet_consumer *const before[KNOWN_EVENTS] = {
		[EVENT_NET_RX] = pass,
		[EVENT_SKB_COPY] = copy,
		[EVENT_SKB_CONSUME] = finish,
		[EVENT_SKB_FREE] = finish,
	};
	static packet_consumer *const after[KNOWN_EVENTS] = {
		[EVENT_GRO_RECEIVE] = arrive_polled,
		[EVENT_NET_RX] = arrive_queued,
		[EVENT_NET_RECEIVE] = receive,
		[EVENT_NET_QUEUE] = send_packet,
		[EVENT_NET_XMIT] = transmit,
		[EVENT_TCP_SEGMENT] = process,
		[EVENT_NAPI_POLL] = end_poll,
		[EVENT_SCHED_WAKING] = wake,
	};
	const enum known_event kind = context->event->event;

	if (before[kind])
		before[kind](state, context);
	track(state, context);
	if (after[kind])
		after[kind](state, context);
}

/* Returns the owner, with a reference, of the packets that the poll got and the
 * network layer did not receive: the one held back before, or a new open one.
 * Adds it to the effects of the poll.
 */
static struct owner *hold_back(const struct event_context *context,
			       const struct handling *handling)
{
	struct owner *held = handling->held ? owner_refer(handling->held) :
					      owner_open(context->owners);

	event_context_effect(context, held,
			     handling->polled - handling->received);
	return held;
}

/* Resolves @held to the other owners of the poll's packets. */
static void resolve_held(const struct event_context *context,
			 struct owner *held)
{
	const struct array *effects = &context->slice->effects;
	const struct owner_share *items = effects->items;
	struct array shares = ARRAY_OF(struct owner_share);

	for (size_t i = 0; i < effects->count; i++)
		if (items[i].owner != held)
			owner_shares_add(context->owners, &shares,
					 items[i].owner, items[i].weight,
					 CERTAIN_INFERRED);
	owner_resolve(context->owners, held, &shares, CERTAIN_EXACT);
	owner_shares_free(context->owners, &shares);
}

/* Charges packets that the network layer did not receive: they were merged into
 * those that it received in the poll, or are held back for a later poll.
 */
static void merge(const struct event_context *context,
		  struct handling *handling)
{
	struct owner *held = handling->held;

	if (handling->polled > handling->received)
		held = hold_back(context, handling);
	else if (held)
		owner_refer(held);
	owner_drop(context->owners, handling->held);
	handling->held = held;
	if (!held || !handling->received)
		return;
	resolve_held(context, held);
	owner_drop(context->owners, held);
	handling->held = NULL;
}

static void packets_end(void *state, const struct event_context *context)
{
	struct handling *handling =
		is_poll(context) ? handling_on(state, context) : NULL;

	if (!handling)
		return;
	merge(context, handling);
	if (!interrupt_slice_has_evidence(context->slice)) {
		owner_drop(context->owners, handling->idle);
		handling->idle = owner_open(context->owners);
		event_context_effect(context, handling->idle, 1);
	}
	handling->polled = 0;
	handling->received = 0;
	handling->next.count = 0;
}

/* Sets the owner of a slice that sends more data of a connection: the owner of
 * the freed packet that made room for the data.
 */
static void packets_begin(void *state, const struct event_context *context)
{
	struct handling *handling = handling_on(state, context);

	if (!handling ||
	    interrupt_role_of(context->roles, context->slice->function) !=
		    ROLE_SENDS_MORE)
		return;
	if (handling->sender)
		interrupt_slice_own(context->slice, handling->sender,
				    CERTAIN_INFERRED);
	owner_drop(context->owners, handling->sender);
	handling->sender = NULL;
}

const struct object_tracker track_packets = {
	.state_bytes = sizeof(struct packets),
	.open = open_packets,
	.close = close_packets,
	.event = packets_event,
	.begin = packets_begin,
	.end = packets_end,
	.role = role,
};
