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
 * (arrive()). The work of the slice counts for that owner while the slice
 * handles the packet (focus()). The owner is resolved to the process that reads
 * the packet (read_by(), exact). If the packet ends without being read, it is
 * resolved to the first of these that is known, as inferred (guess()):
 *
 *  1. the last user of its socket, or else the first task that it woke;
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
 * message of another kind of socket, which some other task reads. So a packet
 * ends when a device delivers another one at its address (arrive_polled()). If
 * no socket was seen to queue a packet, a read of it is not exact (read_by()),
 * and a read by a process other than the socket's user was of something else
 * (is_reused()).
 *
 * A poll that finds no packet is charged to the last user of its queue, as
 * inferred (note_user()). A poll may merge packets that a device delivers into
 * others before the network layer receives these: merge() charges the merged
 * packets to the owners of the packets that were received.
 */

/* A packet in the kernel. */
struct packet {
	uint64_t address;    /* address of its struct sk_buff */
	struct owner *owner; /* the owner of work on the packet */
	bool is_sent;	     /* it is being sent */
	bool is_transmitted; /* it is being sent, and a device got it */
	bool is_received;    /* the network layer has received it */
	bool is_queued;	     /* a socket reported it to its readers */
	uint64_t socket;     /* socket that processed it, or 0 */
	uint64_t queue;	     /* queue of the device that received it, or 0 */
	/* its poll has not ended; the queue is known when it ends */
	bool is_in_poll;
	uint32_t cpu;	     /* CPU that polls the device */
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
	uint32_t cpu;	/* CPU that polls the device */
	uint64_t queue; /* queue of the device; 0: its poll has not ended */
	/* the task that had sent last when the packet ended; or NULL */
	struct owner *talker;
};

/* Of more undecided packets the oldest is decided without a user of its queue:
 * most queues without connections never get one.
 */
enum { MOST_UNDECIDED = 256 };

/* The packets in flight, by address. */
struct packet_map {
	struct owners *owners;	   /* borrowed */
	struct number_map packets; /* struct packet * */
	/* by socket: the process that used it last; by queue of a device: the
	 * process that used the socket of the queue's last packet
	 */
	struct owner_map users;
	/* by queue of a device: the sender of the packet freed last there */
	struct owner_map senders;
	/* by process, its struct owner *: the sender on this machine of the
	 * last packet for it
	 */
	struct owner_map peers;
	struct owner *talker;	/* the task that sent last; or NULL */
	struct array undecided; /* struct undecided */
	/* CPU whose poll delivered a packet, by address, until the network layer
	 * receives it
	 */
	struct number_map polled;
};

/* The state of this tracker. */
struct packets {
	struct packet_map table;
	struct array cpus; /* struct handling, by CPU */
	/* the kernel has the event sk_data_ready (Linux 6.3) */
	bool reports_queued;
};

#define PACKET_MAP_OF(of) \
	((struct packet_map){ .owners = (of), \
			      .users = OWNER_MAP_OF(of), \
			      .senders = OWNER_MAP_OF(of), \
			      .peers = OWNER_MAP_OF(of), \
			      .undecided = ARRAY_OF(struct undecided) })

static void packet_map_remove(struct packet_map *map, uint64_t address);

/* Returns the sender on this machine of the last packet for @owner, or else
 * @owner.
 */
static struct owner *peer_of(const struct packet_map *map, struct owner *owner)
{
	struct owner *peer = owner_map_find(&map->peers, (uintptr_t)owner);

	return peer ? peer : owner;
}

/* Returns the owner to charge for a received @packet whose reader is unknown,
 * or NULL. Only the task that sent last is known of a packet without a poll.
 */
static struct owner *guess(const struct packet_map *map,
			   const struct packet *packet)
{
	struct owner *user =
		packet->socket ? owner_map_find(&map->users, packet->socket) :
				 NULL;

	if (user)
		return user;
	if (packet->woken)
		return packet->woken;
	if (packet->sender)
		return peer_of(map, owner_known(packet->sender));
	if (packet->is_in_poll)
		return NULL;
	return packet->queue ? owner_map_find(&map->users, packet->queue) :
			       map->talker;
}

/* Charges an undecided packet to @user, or to the task that sent before it. */
static void decide_for(struct packet_map *map, const struct undecided *packet,
		       struct owner *user)
{
	if (!user)
		user = packet->talker;
	if (user)
		owner_resolve_to(map->owners, packet->owner, user,
				 CERTAIN_INFERRED);
	owner_drop(map->owners, packet->owner);
}

/* Keeps the owner of @packet open until its queue has a user. */
static void put_off(struct packet_map *map, const struct packet *packet)
{
	const struct undecided undecided = { owner_refer(packet->owner),
					     packet->cpu, packet->queue,
					     map->talker };

	if (map->undecided.count == MOST_UNDECIDED) {
		decide_for(map, array_at(&map->undecided, 0), NULL);
		array_remove(&map->undecided, 0, 1);
	}
	if (!array_append(&map->undecided, &undecided))
		return;
	owner_drop(map->owners, undecided.owner);
	owners_fail(map->owners);
}

/* Decides the packets of @queue, whose poll on @cpu has ended, if the queue has
 * a user now.
 */
static void decide(struct packet_map *map, uint32_t cpu, uint64_t queue)
{
	struct undecided *items = map->undecided.items;
	struct owner *user = owner_map_find(&map->users, queue);
	size_t kept = 0;

	for (size_t i = 0; i < map->undecided.count; i++) {
		if (!items[i].queue && items[i].cpu == cpu)
			items[i].queue = queue;
		if (user && items[i].queue == queue)
			decide_for(map, &items[i], user);
		else
			items[kept++] = items[i];
	}
	map->undecided.count = kept;
}

static void end_packet(struct packet_map *map, struct packet *packet)
{
	struct owner *guessed = packet->is_received ? guess(map, packet) : NULL;

	if (!packet->readers.count && guessed)
		owner_shares_add(map->owners, &packet->readers, guessed, 1,
				 CERTAIN_INFERRED);
	if (!packet->is_sent && !packet->readers.count &&
	    (packet->is_in_poll || packet->queue))
		put_off(map, packet);
	else if (!packet->is_sent)
		owner_resolve(map->owners, packet->owner, &packet->readers,
			      CERTAIN_EXACT);
	owner_shares_free(map->owners, &packet->readers);
	owner_drop(map->owners, packet->owner);
	owner_drop(map->owners, packet->woken);
	owner_drop(map->owners, packet->sender);
	free(packet);
}

static void packet_map_free(struct packet_map *map)
{
	struct packet *packet;
	size_t place = 0;

	while ((packet = number_map_next_pointer(&map->packets, &place)))
		end_packet(map, packet);
	number_map_free(&map->packets);
	for (size_t i = 0; i < map->undecided.count; i++)
		decide_for(map, array_at(&map->undecided, i), NULL);
	array_free(&map->undecided);
	number_map_free(&map->polled);
	owner_map_free(&map->users);
	owner_map_free(&map->senders);
	owner_map_free(&map->peers);
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

/* Removes a packet. If it is not a sent packet, resolves its owner to its
 * readers, else to guess(), else to nobody. Only readers are exact.
 */
static void packet_map_remove(struct packet_map *map, uint64_t address)
{
	struct packet *packet = number_map_take_pointer(&map->packets, address);

	if (packet)
		end_packet(map, packet);
}

/* Records that @packet is for @owner: packets that @owner sends to this machine
 * are probably for its sender.
 */
static void note_peer(struct packet_map *map, const struct packet *packet,
		      struct owner *owner)
{
	struct owner *sender = packet->sender;

	if (sender && owner_known(sender) != owner)
		owner_map_set(&map->peers, (uintptr_t)owner,
			      owner_known(sender));
}

/* Records with @certainty that @owner read @packet, and makes it the user of
 * the packet's socket.
 */
static void packet_map_read(struct packet_map *map, struct packet *packet,
			    struct owner *owner, uint8_t certainty)
{
	if (!owner_shares_has(&packet->readers, owner))
		owner_shares_add(map->owners, &packet->readers, owner, 1,
				 certainty);
	if (packet->socket)
		owner_map_set(&map->users, packet->socket, owner);
	note_peer(map, packet, owner);
}

/* The packets that a CPU handles now. */
struct handling {
	uint64_t at_hand; /* address of the packet handled now */
	/* address of the packet that a connection processes */
	uint64_t segment;
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
	/* Owners of the last sent packet freed on this CPU: cut, if no device
	 * had got it (as inferred); freed, if one had.
	 */
	struct owner *cut;
	struct owner *freed;
	/* owner of the freed packet whose connection will send more; or NULL */
	struct owner *sender;
	/* the work (work_of()) that freed the packet; NO_WORK after another
	 * event of that work. Events of interrupts that interrupt the work do
	 * not change it.
	 */
	uint64_t freed_in;
};

static const uint64_t NO_WORK = UINT64_MAX;

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
	struct owners *owners = packets->table.owners;

	packet_map_free(&packets->table);
	for (size_t i = 0; i < packets->cpus.count; i++) {
		owner_drop(owners, cpus[i].held);
		owner_drop(owners, cpus[i].user);
		owner_drop(owners, cpus[i].done);
		owner_drop(owners, cpus[i].idle);
		owner_drop(owners, cpus[i].cut);
		owner_drop(owners, cpus[i].freed);
		owner_drop(owners, cpus[i].sender);
		array_free(&cpus[i].next);
		array_free(&cpus[i].got);
	}
	array_free(&packets->cpus);
}

/* Returns the state of the CPU of @context; NULL when out of memory. */
static struct handling *handling_on(struct packets *packets,
				    const struct event_context *context)
{
	struct handling *handling =
		array_reach_like(&packets->cpus, context->cpu,
				 &(struct handling){ .next = ARRAY_OF(uint64_t),
						     .got = ARRAY_OF(uint64_t),
						     .freed_in = NO_WORK });

	if (!handling)
		owners_fail(context->owners);
	return handling;
}

static uint64_t address_of(const struct event_context *context)
{
	return (uint64_t)context->event->values[SKB_ADDRESS];
}

/* Returns a number of the interrupt work that is open; 0: a task's own. */
static uint64_t work_of(const struct event_context *context)
{
	return context->slice ? context->slice->span.serial : 0;
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

/* Makes the open slice work for @packet from now on. NULL: no change. */
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

/* Handles a packet that arrives in a CPU's own queue (the backlog), which a
 * later poll processes. It often comes from this machine itself.
 */
static void arrive_queued(struct packets *packets,
			  const struct event_context *context)
{
	const struct packet *sent =
		packet_map_find(&packets->table, address_of(context));
	struct owner *sender =
		sent && sent->is_sent ? owner_refer(sent->owner) : NULL;
	struct packet *packet = arrive(packets, context);

	if (packet)
		packet->sender = sender;
	else
		owner_drop(context->owners, sender);
}

/* Counts a packet that a device delivers. A packet that was tracked at its
 * address has ended. The packet may be merged into another one, so that the
 * next packet may have the same address.
 */
static void arrive_polled(struct packets *packets,
			  const struct event_context *context)
{
	struct handling *handling = handling_on(packets, context);
	uint64_t *cpu =
		number_map_add(&packets->table.polled, address_of(context));

	packet_map_remove(&packets->table, address_of(context));
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
		number_map_find(&packets->table.polled, packet->address);
	struct handling *from = cpu && *cpu != context->cpu ?
					array_at(&packets->cpus, *cpu) :
					NULL;

	if (from && from->held) {
		owner_resolve_to(context->owners, from->held, packet->owner,
				 CERTAIN_INFERRED);
		owner_drop(context->owners, from->held);
		from->held = NULL;
	}
	number_map_remove(&packets->table.polled, packet->address);
}

/* Handles a packet that the network layer receives. It was delivered by a
 * device or another CPU, or comes from a source without events.
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
	if (packet) {
		packet->is_received = true;
		receive_passed(packets, context, packet);
	}
	if (handling)
		handling->received++;
	focus(packets, context, packet);
	if (!packet || !handling || !is_poll(context))
		return;
	packet->is_in_poll = true;
	packet->cpu = context->cpu;
	if (array_append(&handling->next, &packet->address) < 0 ||
	    array_append(&handling->got, &packet->address) < 0)
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

static void send_packet(struct packets *packets,
			const struct event_context *context)
{
	struct packet *packet =
		packet_map_find(&packets->table, address_of(context));

	/* A packet that is passed from device to device keeps its owner. */
	if (packet && packet->is_sent && context->slice)
		return;
	packet = packet_map_add(&packets->table, address_of(context),
				event_context_owner(context));
	if (packet)
		packet->is_sent = true;
	if (event_context_is_task(context))
		packets->table.talker = event_context_owner(context);
}

/* Adds the packet of the event, which is sent but was not queued, as a part of
 * the packet that was cut last. Returns NULL if none was cut, or when out of
 * memory.
 */
static struct packet *add_part(struct packets *packets,
			       const struct event_context *context)
{
	const struct handling *handling = handling_on(packets, context);
	struct packet *packet = handling && handling->cut ?
					packet_map_add(&packets->table,
						       address_of(context),
						       handling->cut) :
					NULL;

	if (packet)
		packet->is_sent = true;
	return packet;
}

static void transmit(struct packets *packets,
		     const struct event_context *context)
{
	struct packet *packet =
		packet_map_find(&packets->table, address_of(context));

	if (!packet || !packet->is_sent)
		packet = add_part(packets, context);
	if (!packet)
		return;
	packet->is_transmitted = true;
	/* Sending an answer to a packet is part of handling it. */
	if (context->slice && context->slice->current != packet->owner)
		event_context_effect(context, packet->owner, 1);
}

/* Returns whether @reader probably reads something else that is now at the
 * address of @packet: no socket queued the packet, and @reader is not the user
 * of its socket.
 */
static bool is_reused(const struct packets *packets,
		      const struct packet *packet, const struct owner *reader)
{
	const struct owner *user =
		packet->socket ?
			owner_map_find(&packets->table.users, packet->socket) :
			NULL;

	return packets->reports_queued && !packet->is_queued && user != reader;
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

	if (packet->is_sent || !event_context_is_task(context) ||
	    is_reused(packets, packet, reader))
		return;
	if (packets->reports_queued && !packet->is_queued)
		certainty = CERTAIN_INFERRED;
	packet_map_read(&packets->table, packet, reader, certainty);
}

static void copy(struct packets *packets, const struct event_context *context)
{
	struct packet *packet =
		packet_map_find(&packets->table, address_of(context));

	if (packet)
		read_by(packets, context, packet, CERTAIN_EXACT);
}

/* Sets @slot, a member of struct handling, to @owner or NULL. */
static void hold(struct owners *owners, struct owner **slot,
		 struct owner *owner)
{
	struct owner *before = *slot;

	*slot = owner ? owner_refer(owner) : NULL;
	owner_drop(owners, before);
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
	noted = packet->is_transmitted ? &handling->freed : &handling->cut;
	owner = packet->is_transmitted ? owner_refer(packet->owner) :
					 owner_open(context->owners);
	if (!packet->is_transmitted)
		owner_resolve_to(context->owners, owner, packet->owner,
				 CERTAIN_INFERRED);
	owner_drop(context->owners, *noted);
	*noted = owner;
	if (!packet->is_transmitted)
		return;
	handling->freed_in = work_of(context);
	if (is_poll(context))
		hold(context->owners, &handling->done, owner);
}

/* Handles a soft interrupt raised by freeing a packet: in it, the packet's
 * connection sends more (tcp_wfree() in net/ipv4/tcp_output.c).
 */
static void raise(struct packets *packets, const struct event_context *context)
{
	struct handling *handling = handling_on(packets, context);

	if (!handling || handling->freed_in != work_of(context) ||
	    context->event->values[SOFTIRQ_VECTOR] != TASKLET_SOFTIRQ)
		return;
	hold(context->owners, &handling->sender, handling->freed);
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
	if (packet->is_sent) {
		event_context_effect(context, packet->owner, 1);
		note_end(packets, context, packet);
	}
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

/* Returns the packet that the slice handles, or else the one that the
 * connection @socket processes. A task processes the packets that arrived while
 * it used the socket. NULL if there is none.
 */
static struct packet *packet_of(struct packets *packets,
				const struct event_context *context,
				uint64_t socket)
{
	const struct handling *handling = handling_on(packets, context);
	struct packet *packet = at_hand(packets, context);

	if (packet || !handling)
		return packet;
	packet = packet_map_find(&packets->table, handling->segment);
	return packet && packet->socket == socket ? packet : NULL;
}

/* Handles the event with which a socket reports a queued packet to its readers.
 */
static void ready(struct packets *packets, const struct event_context *context)
{
	uint64_t socket = (uint64_t)context->event->values[SOCKET_ADDRESS];
	struct packet *packet = packet_of(packets, context, socket);

	packets->reports_queued = true;
	if (!packet)
		return;
	packet->is_queued = true;
	packet->socket = socket;
}

/* Handles the event that a connection processes the packet: in an interrupt, or
 * in a task that used the socket when the packet arrived.
 */
static void process(struct packets *packets,
		    const struct event_context *context)
{
	struct packet *packet =
		packet_map_find(&packets->table, address_of(context));
	struct handling *handling = handling_on(packets, context);
	struct owner *user;

	if (!packet || packet->is_sent || !handling)
		return;
	handling->segment = packet->address;
	packet->socket = (uint64_t)context->event->values[SKB_SOCKET];
	user = owner_map_find(&packets->table.users, packet->socket);
	if (user)
		note_peer(&packets->table, packet, user);
	/* A task may process it during another CPU's poll. */
	if (user && packet->is_in_poll && packet->cpu == context->cpu &&
	    is_poll(context))
		hold(context->owners, &handling->user, user);
}

/* Handles the use of a socket by a task, or a change of a connection's state by
 * a packet.
 */
static void use(struct packets *packets, const struct event_context *context)
{
	uint64_t socket = (uint64_t)context->event->values[SOCKET_ADDRESS];
	bool is_task = event_context_is_task(context);
	struct packet *packet = is_task ? NULL : at_hand(packets, context);

	if (packet)
		packet->socket = socket;
	if (is_task && socket)
		owner_map_set(&packets->table.users, socket,
			      event_context_owner(context));
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
static void note_user(struct packet_map *map, struct owners *owners,
		      struct handling *handling, uint64_t queue)
{
	struct owner *user;

	if (handling->user)
		owner_map_set(&map->users, queue, handling->user);
	if (handling->done && handling->done != owner_nobody(owners))
		owner_map_set(&map->senders, queue, handling->done);
	user = owner_map_find(&map->users, queue);
	if (!user)
		user = owner_map_find(&map->senders, queue);
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
	uint64_t queue = (uint64_t)context->event->values[NAPI_ADDRESS];
	const uint64_t *got = handling ? handling->got.items : NULL;

	for (size_t i = 0; handling && i < handling->got.count; i++) {
		struct packet *packet =
			packet_map_find(&packets->table, got[i]);

		/* Another CPU's poll may have got another packet there since. */
		if (!packet || !packet->is_in_poll ||
		    packet->cpu != context->cpu)
			continue;
		packet->queue = queue;
		packet->is_in_poll = false;
	}
	if (!handling)
		return;
	handling->got.count = 0;
	note_user(&packets->table, context->owners, handling, queue);
	decide(&packets->table, context->cpu, queue);
}

static void packets_event(void *state, const struct event_context *context)
{
	static void (*const consumers[KNOWN_EVENTS])(
		struct packets *, const struct event_context *) = {
		[EVENT_GRO_RECEIVE] = arrive_polled,
		[EVENT_NET_RX] = arrive_queued,
		[EVENT_NET_RECEIVE] = receive,
		[EVENT_NET_QUEUE] = send_packet,
		[EVENT_NET_XMIT] = transmit,
		[EVENT_SKB_COPY] = copy,
		[EVENT_SKB_CONSUME] = finish,
		[EVENT_SKB_FREE] = finish,
		[EVENT_SOCKET_READY] = ready,
		[EVENT_SOCKET_SENT] = use,
		[EVENT_SOCKET_TAKEN] = use,
		[EVENT_SOCKET_STATE] = use,
		[EVENT_TCP_SEGMENT] = process,
		[EVENT_NAPI_POLL] = end_poll,
		[EVENT_SCHED_WAKING] = wake,
		[EVENT_SOFTIRQ_RAISE] = raise,
	};
	const enum known_event kind = context->event->event;
	struct handling *handling = handling_on(state, context);

	if (handling && kind != EVENT_SOFTIRQ_RAISE &&
	    handling->freed_in == work_of(context))
		handling->freed_in = NO_WORK;
	if (consumers[kind])
		consumers[kind](state, context);
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
