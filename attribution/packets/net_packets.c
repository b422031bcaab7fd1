/* SPDX-License-Identifier: MIT */
#include "attribution/packets/net_packets.h"

#include "common/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_QUEUED = 4096, MOST_HELD = 256 };

/* A socket, with the packets that it reported to its readers. A copy from a
 * packet removes those before it.
 */
struct net_socket {
	struct task user;   /* that used it last; pid is -1 if there is none */
	struct task reader; /* that copied data from it last, at read_ns */
	uint64_t read_ns;   /* 0: no task has */
	struct array queue; /* struct net_packet *, in order */
};

/* The packet that a CPU processes. */
struct net_focus {
	uint64_t address;
	uint64_t work;	 /* net_event.work that processes it */
	bool is_segment; /* its connection reported that it processes it */
	/* Of its connection: an acknowledgement is freed before the connection
	 * sends more for it (tcp_rcv_established()).
	 */
	struct task user;
};

/* The state of a CPU. */
struct net_cpu {
	int32_t cpu;
	/* by net_event.is_task: interrupt work has its own, since it interrupts
	 * a task's work
	 */
	struct net_focus focus[2];
	/* uint64_t: addresses of the packets that interrupt work received, in
	 * order. It may receive several before the protocols get the first.
	 */
	struct array received;
	/* the sent packet that was freed last without having been issued: it
	 * was split
	 */
	struct net_packet cut;
	struct task freed; /* sender of the packet that a device sent last */
	/* net_event.work that freed it, until another event of that work;
	 * events of interrupts in between do not count
	 */
	uint64_t freed_in;
	/* the task whose connection sends more when the raised tasklet runs;
	 * pid is -1 if unknown
	 */
	struct task more;
};

/* A device, and the last user of a connection whose packet came from it. */
struct net_device {
	char name[NET_DEVICE_SIZE];
	struct task user;
};

/* A process, and the task on this machine that it exchanged a packet with last. */
struct net_peer {
	int32_t pid;
	struct task other;
};

/* A packet of @task may wait until the address of its neighbour is known. */
struct net_unresolved {
	struct task task;
	uint64_t since_ns;
	bool is_certain; /* the call has ended that would have sent it */
};

static const uint64_t NO_WORK = UINT64_MAX;
static const struct task unknown_task = { .index = UINT32_MAX,
					  .tid = -1,
					  .pid = -1 };

void net_packets_open(struct net_packets *packets,
		      struct net_observer *observer)
{
	*packets = (struct net_packets){
		.observer = observer,
		.cpus = KEYED_ARRAY_OF(struct net_cpu, cpu),
		.devices = KEYED_ARRAY_OF(struct net_device, name),
		.peers = KEYED_ARRAY_OF(struct net_peer, pid),
		.unresolved = ARRAY_OF(struct net_unresolved),
		.held = ARRAY_OF(struct net_packet *),
	};
	net_handshakes_open(&packets->handshakes);
}

void net_packets_listen(struct net_packets *packets,
			struct net_callback *callback)
{
	callback->next = packets->callbacks;
	packets->callbacks = callback;
}

struct net_packet *net_packets_find(const struct net_packets *packets,
				    uint64_t address)
{
	return number_map_pointer(&packets->flying, address);
}

/* Handles that no event will refer to @packet by its address any more. */
static void leave_address(struct net_packets *packets,
			  struct net_packet *packet)
{
	if (packet->is_flying)
		number_map_remove(&packets->flying, packet->address);
	packet->is_flying = false;
}

/* Frees @packet, which is in no map any more. */
static void drop(struct net_packets *packets, struct net_packet *packet)
{
	if (packets->observer)
		packets->observer->ended(packets->observer, packet);
	free(packet);
}

/* Emits @packet, which is in no map any more, and frees it. */
static int emit(struct net_packets *packets, struct net_packet *packet)
{
	int status = 0;

	for (struct net_callback *to = packets->callbacks; to; to = to->next)
		if (to->done(to, packet) < 0)
			status = -ERROR_MEMORY;
	drop(packets, packet);
	return status;
}

static struct net_socket *socket_of(struct net_packets *packets,
				    uint64_t address)
{
	struct net_socket *found =
		number_map_pointer(&packets->sockets, address);
	uint64_t *value;

	if (found)
		return found;
	value = number_map_add(&packets->sockets, address);
	found = value ? malloc(sizeof(*found)) : NULL;
	if (value)
		*value = (uintptr_t)found;
	if (found)
		*found = (struct net_socket){
			.user = unknown_task,
			.queue = ARRAY_OF(struct net_packet *),
		};
	return found;
}

static void infer(struct net_packet *packet, struct task task)
{
	packet->task = task;
	packet->is_inferred = task.pid >= 0;
}

/* Emits the first @count packets of @from. Those without a read of their own
 * were appended to earlier ones: invariant 3.
 */
static int emit_queued(struct net_packets *packets, struct net_socket *from,
		       size_t count)
{
	struct net_packet **items = from->queue.items;
	int status = 0;

	for (size_t i = 0; i < count; i++) {
		if (!items[i]->ended_ns &&
		    from->read_ns >= items[i]->queued_ns) {
			items[i]->ended_ns = from->read_ns;
			items[i]->task = from->reader;
			items[i]->is_inferred = true;
		}
		if (items[i]->task.pid < 0)
			infer(items[i], items[i]->candidate);
		leave_address(packets, items[i]);
		if (emit(packets, items[i]) < 0)
			status = -ERROR_MEMORY;
	}
	array_remove(&from->queue, 0, count);
	return status;
}

static bool is_in_queue(const struct net_packet *packet)
{
	return packet->kind == NET_RECEIVED && packet->queued_ns;
}

const struct task *net_packets_socket_user(const struct net_packets *packets,
					   const struct net_packet *packet)
{
	const struct net_socket *used =
		packet->socket ?
			number_map_pointer(&packets->sockets, packet->socket) :
			NULL;

	return used && used->user.pid >= 0 ? &used->user : NULL;
}

struct task net_packets_user(const struct net_packets *packets,
			     const struct net_packet *packet)
{
	const struct net_peer *peer =
		packet->kind == NET_SENT ?
			NULL :
			keyed_array_find(&packets->peers, &packet->peer.pid);
	const struct task *user;

	if (packet->candidate.pid >= 0)
		return packet->candidate;
	user = packet->handshake ? net_handshakes_user(&packets->handshakes,
						       packet->handshake) :
				   net_packets_socket_user(packets, packet);
	if (!user && peer && !packet->handshake && !packet->socket)
		user = &peer->other;
	return user ? *user : unknown_task;
}

/* Like net_packets_user(), but of a packet without a connection returns the user
 * of the last connection with a packet from its device.
 */
static struct task user_of(const struct net_packets *packets,
			   const struct net_packet *packet)
{
	struct task user = net_packets_user(packets, packet);
	const struct net_device *device =
		keyed_array_find(&packets->devices, packet->device);

	return user.pid >= 0 || packet->socket || packet->handshake || !device ?
		       user :
		       device->user;
}

static int set_peer(struct net_packets *packets, int32_t pid, struct task other)
{
	struct net_peer *peer = keyed_array_add(
		&packets->peers, &(struct net_peer){ .pid = pid });

	if (peer)
		peer->other = other;
	return peer ? 0 : -ERROR_MEMORY;
}

/* Records that @packet is for @task. Returns 0 or -ERROR_MEMORY. */
static int note_peer(struct net_packets *packets,
		     const struct net_packet *packet, struct task task)
{
	if (packet->peer.pid < 0 || packet->peer.pid == task.pid)
		return 0;
	return set_peer(packets, task.pid, packet->peer) < 0 ?
		       -ERROR_MEMORY :
		       set_peer(packets, packet->peer.pid, task);
}

/* Records that a connection processes @packet, whose socket and user are known
 * better than before.
 */
static int set_socket(struct net_packets *packets, struct net_packet *packet,
		      uint64_t socket)
{
	const struct net_socket *used =
		number_map_pointer(&packets->sockets, socket);

	packet->socket = socket;
	if (!used || used->user.pid < 0)
		return 0;
	packet->candidate = used->user;
	return note_peer(packets, packet, used->user);
}

/* Emits @packet, whose task is inferred, or lets it wait until its connection has
 * a user.
 */
static int emit_inferred(struct net_packets *packets, struct net_packet *packet)
{
	int status = 0;

	infer(packet, user_of(packets, packet));
	if (packet->is_inferred || !packet->handshake)
		return emit(packets, packet);
	if (packets->held.count == MOST_HELD) {
		status = emit(packets, *(struct net_packet **)array_at(
					       &packets->held, 0));
		array_remove(&packets->held, 0, 1);
	}
	return array_append(&packets->held, &packet) < 0 ? -ERROR_MEMORY :
							   status;
}

/* Emits the packets that waited until their connection had a user. */
static int emit_held(struct net_packets *packets)
{
	struct net_packet **items = packets->held.items;
	size_t count = packets->held.count, kept = 0;
	int status = 0;

	for (size_t i = 0; i < count; i++) {
		infer(items[i], user_of(packets, items[i]));
		if (!items[i]->is_inferred) {
			items[kept++] = items[i];
			continue;
		}
		if (emit(packets, items[i]) < 0)
			status = -ERROR_MEMORY;
	}
	packets->held.count = kept;
	return status;
}

/* Emits @packet, which is in no map and no queue any more. A received packet
 * that was not read is an acknowledgement if a connection processed it, if it
 * starts a connection, or if no event freed it.
 */
static int settle(struct net_packets *packets, struct net_packet *packet)
{
	/* Merged into another packet before the protocols got it. */
	if (packet->kind == NET_RECEIVED && !packet->received_ns) {
		drop(packets, packet);
		return 0;
	}
	if (packet->kind == NET_RECEIVED && !packet->ended_ns &&
	    (packet->socket || packet->handshake || !packet->is_freed)) {
		packet->kind = NET_ACKNOWLEDGED;
		return emit_inferred(packets, packet);
	}
	if (packet->handshake && packet->task.pid < 0)
		return emit_inferred(packets, packet);
	if (packet->kind == NET_RECEIVED && packet->task.pid < 0)
		infer(packet, net_packets_user(packets, packet));
	return emit(packets, packet);
}

/* Ends @packet, whose address is used again, unless it is NULL. A packet in a
 * socket's queue stays in the queue.
 */
static int replace(struct net_packets *packets, struct net_packet *packet)
{
	if (!packet)
		return 0;
	leave_address(packets, packet);
	return is_in_queue(packet) ? 0 : settle(packets, packet);
}

/* Adds a packet at the address of @event, in place of an earlier one. Returns
 * NULL when out of memory.
 */
static struct net_packet *add(struct net_packets *packets,
			      const struct net_event *event, enum net_kind kind)
{
	struct net_packet *packet;
	uint64_t *value;

	if (replace(packets, net_packets_find(packets, event->address)) < 0)
		return NULL;
	packet = malloc(sizeof(*packet));
	value = number_map_add(&packets->flying, event->address);
	if (!packet || !value) {
		free(packet);
		return NULL;
	}
	*packet = (struct net_packet){
		.kind = kind,
		.task = unknown_task,
		.peer = unknown_task,
		.candidate = unknown_task,
		.address = event->address,
		.is_flying = true,
		.bytes = event->bytes,
		.is_thread = event->is_thread,
	};
	snprintf(packet->device, sizeof(packet->device), "%s", event->device);
	*value = (uintptr_t)packet;
	return packet;
}

static struct net_cpu *cpu_of(struct net_packets *packets,
			      const struct net_event *event)
{
	return keyed_array_add(&packets->cpus,
			       &(struct net_cpu){ .cpu = event->cpu,
						  .received =
							  ARRAY_OF(uint64_t),
						  .freed = unknown_task,
						  .freed_in = NO_WORK,
						  .more = unknown_task });
}

static void set_focus(const struct net_packets *packets, struct net_cpu *cpu,
		      const struct net_event *event,
		      const struct net_packet *packet)
{
	struct net_focus *focus = &cpu->focus[event->is_task];

	if (focus->work != event->work && !event->is_task)
		cpu->received.count = 0;
	*focus = (struct net_focus){ packet->address, event->work,
				     event->kind == EVENT_TCP_SEGMENT,
				     user_of(packets, packet) };
}

/* Returns the packet that the CPU of @event processes in its work, or NULL: one
 * sent since may have the address, if it was freed without an event.
 */
static struct net_packet *at_hand(struct net_packets *packets,
				  const struct net_event *event)
{
	const struct net_cpu *cpu =
		keyed_array_find(&packets->cpus, &event->cpu);
	const struct net_focus *focus = cpu ? &cpu->focus[event->is_task] :
					      NULL;
	struct net_packet *packet =
		focus && focus->work == event->work ?
			net_packets_find(packets, focus->address) :
			NULL;

	if (!packet || packet->kind != NET_RECEIVED || !packet->received_ns)
		return NULL;
	return packet;
}

static int arrive(struct net_packets *packets, const struct net_event *event)
{
	struct net_packet *sent = net_packets_find(packets, event->address);
	struct task sender = unknown_task, candidate = unknown_task;
	struct net_packet *packet;

	/* The loopback device has sent it. */
	if (sent && sent->kind == NET_SENT && event->kind == EVENT_NET_RX) {
		sent->ended_ns = event->time_ns;
		sender = sent->task;
		candidate = sent->peer;
	}
	packet = add(packets, event, NET_RECEIVED);
	if (!packet)
		return -ERROR_MEMORY;
	packet->peer = sender;
	packet->candidate = candidate;
	packet->arrived_ns = event->time_ns;
	packet->interrupt_ns = event->interrupt_ns;
	return 0;
}

static int receive(struct net_packets *packets, const struct net_event *event)
{
	struct net_packet *packet = net_packets_find(packets, event->address);
	struct net_cpu *cpu = cpu_of(packets, event);

	if (!packet || packet->kind != NET_RECEIVED || packet->received_ns ||
	    strcmp(packet->device, event->device) != 0)
		packet = add(packets, event, NET_RECEIVED);
	if (!packet || !cpu)
		return -ERROR_MEMORY;
	if (!packet->arrived_ns) {
		packet->arrived_ns = event->time_ns;
		packet->interrupt_ns = event->interrupt_ns;
	}
	packet->received_ns = event->time_ns;
	packet->bytes = event->bytes;
	packet->is_backlog = event->is_backlog;
	packet->is_thread = event->is_thread;
	set_focus(packets, cpu, event, packet);
	return event->is_task ? 0 :
				array_append(&cpu->received, &packet->address);
}

/* Records that the user of the connection that processes @packet, if known, is
 * the last user of the packet's device.
 */
static int note_user(struct net_packets *packets,
		     const struct net_packet *packet)
{
	struct net_device like = { .user = user_of(packets, packet) };
	struct net_device *device;

	if (like.user.pid < 0)
		return 0;
	memcpy(like.name, packet->device, sizeof(like.name));
	device = keyed_array_add(&packets->devices, &like);
	if (device)
		device->user = like.user;
	return device ? 0 : -ERROR_MEMORY;
}

/* Records that a connection processes the packet of @event. */
static int process(struct net_packets *packets, const struct net_event *event)
{
	struct net_packet *packet = net_packets_find(packets, event->address);
	struct net_cpu *cpu = cpu_of(packets, event);

	if (!cpu)
		return -ERROR_MEMORY;
	if (!packet || packet->kind != NET_RECEIVED)
		return 0;
	if (set_socket(packets, packet, event->socket) < 0 ||
	    note_user(packets, packet) < 0)
		return -ERROR_MEMORY;
	set_focus(packets, cpu, event, packet);
	return 0;
}

/* Returns the first packet that interrupt work on @cpu received and that no
 * socket has processed, or NULL.
 */
static struct net_packet *first_received(const struct net_packets *packets,
					 struct net_cpu *cpu)
{
	while (cpu->received.count) {
		const uint64_t *address = array_at(&cpu->received, 0);
		struct net_packet *packet = net_packets_find(packets, *address);

		if (packet && packet->kind == NET_RECEIVED &&
		    packet->received_ns && !packet->socket)
			return packet;
		array_remove(&cpu->received, 0, 1);
	}
	return NULL;
}

/* Returns the packet that the socket of @event reports to its readers, or NULL.
 * It is the packet that the socket's connection processes, if that is known.
 * Otherwise it is the first that the work received and no socket has, because
 * the protocols process packets in the order of their arrival.
 */
static struct net_packet *reported(struct net_packets *packets,
				   const struct net_event *event)
{
	struct net_cpu *cpu = keyed_array_find(&packets->cpus, &event->cpu);
	struct net_packet *packet = at_hand(packets, event);

	/* The listening socket reports a new connection. */
	if (packet && packet->handshake && packet->socket != event->socket)
		return NULL;
	if (!cpu || event->is_task || cpu->focus[0].work != event->work ||
	    (cpu->focus[0].is_segment && packet &&
	     packet->socket == event->socket))
		return packet;
	packet = first_received(packets, cpu);
	if (packet)
		cpu->focus[0].address = packet->address;
	return packet;
}

/* Adds the packet that is processed to the queue of the socket of @event, which
 * reports it to its readers.
 */
static int queue(struct net_packets *packets, const struct net_event *event)
{
	struct net_packet *packet = reported(packets, event);
	struct net_socket *to;

	packets->reports_queued = true;
	if (!packet || packet->queued_ns ||
	    (event->is_task && packet->socket != event->socket))
		return 0;
	to = socket_of(packets, event->socket);
	if (!to)
		return -ERROR_MEMORY;
	packet->socket = event->socket;
	packet->queued_ns = event->time_ns;
	if (array_append(&to->queue, &packet) < 0)
		return -ERROR_MEMORY;
	return to->queue.count > MOST_QUEUED ? emit_queued(packets, to, 1) : 0;
}

/* Records that the task of @event read @packet. */
static int set_reader(struct net_packets *packets, struct net_packet *packet,
		      const struct net_event *event)
{
	if (packet->ended_ns)
		return 0;
	packet->ended_ns = event->time_ns;
	packet->task = event->task;
	return note_peer(packets, packet, event->task);
}

/* Returns the index of @packet in the queue of @from. */
static size_t index_of(const struct net_socket *from,
		       const struct net_packet *packet)
{
	struct net_packet *const *items = from->queue.items;
	size_t i = 0;

	while (i < from->queue.count && items[i] != packet)
		i++;
	return i;
}

/* Records that a task reads the packet of @event, and emits the packets before
 * it in the socket's queue.
 */
static int copy(struct net_packets *packets, const struct net_event *event)
{
	struct net_packet *packet = net_packets_find(packets, event->address);
	struct net_socket *from;
	size_t index;

	if (!packet || packet->kind != NET_RECEIVED || !event->is_task)
		return 0;
	if (!packet->queued_ns)
		return packets->reports_queued ?
			       0 :
			       set_reader(packets, packet, event);
	from = socket_of(packets, packet->socket);
	index = from ? index_of(from, packet) : 0;
	if (from)
		from->user = event->task;
	if (!from || (index < from->queue.count &&
		      emit_queued(packets, from, index) < 0))
		return -ERROR_MEMORY;
	from->reader = event->task;
	from->read_ns = event->time_ns;
	return set_reader(packets, packet, event);
}

/* Emits received @packet, which is freed. */
static int free_received(struct net_packets *packets,
			 const struct net_event *event,
			 struct net_packet *packet)
{
	struct net_socket *from;
	size_t index;

	if (event->is_task && event->kind == EVENT_SKB_CONSUME &&
	    (packet->queued_ns || !packets->reports_queued) &&
	    set_reader(packets, packet, event) < 0)
		return -ERROR_MEMORY;
	packet->is_freed = true;
	/* its socket, if the kernel drops it */
	if (!packet->socket && event->kind == EVENT_SKB_FREE &&
	    number_map_pointer(&packets->sockets, event->socket) &&
	    set_socket(packets, packet, event->socket) < 0)
		return -ERROR_MEMORY;
	if (!packet->queued_ns)
		return replace(packets, packet);
	from = socket_of(packets, packet->socket);
	if (!from)
		return -ERROR_MEMORY;
	if (packet->ended_ns) {
		from->user = from->reader = packet->task;
		from->read_ns = packet->ended_ns;
	}
	index = index_of(from, packet);
	array_remove(&from->queue, index, 1);
	leave_address(packets, packet);
	return emit(packets, packet);
}

static int free_packet(struct net_packets *packets,
		       const struct net_event *event)
{
	struct net_packet *packet = net_packets_find(packets, event->address);
	struct net_cpu *cpu;

	if (!packet)
		return 0;
	if (packet->kind == NET_RECEIVED)
		return free_received(packets, event, packet);
	cpu = cpu_of(packets, event);
	if (!cpu)
		return -ERROR_MEMORY;
	if (packet->issued_ns) {
		packet->ended_ns = event->time_ns;
		cpu->freed = packet->task;
		cpu->freed_in = event->work;
		return replace(packets, packet);
	}
	leave_address(packets, packet);
	cpu->cut = *packet;
	drop(packets, packet);
	return 0;
}

bool net_packets_sends_more(const struct net_packets *packets,
			    const struct net_event *event)
{
	const struct net_cpu *cpu =
		keyed_array_find(&packets->cpus, &event->cpu);

	return cpu && cpu->freed_in == event->work && event->is_tasklet;
}

static int raise_softirq(struct net_packets *packets,
			 const struct net_event *event)
{
	struct net_cpu *cpu = keyed_array_find(&packets->cpus, &event->cpu);

	if (net_packets_sends_more(packets, event))
		cpu->more = cpu->freed;
	return 0;
}

int net_packets_resolve(struct net_packets *packets, const struct task *task,
			uint64_t time_ns)
{
	const uint64_t most_ns =
		10000000000; /* resolution has failed by then */
	struct array *unresolved = &packets->unresolved;
	const struct net_unresolved *first;

	while ((first = unresolved->count ? array_at(unresolved, 0) : NULL) &&
	       time_ns - first->since_ns > most_ns)
		array_remove(unresolved, 0, 1);
	return array_append(unresolved,
			    &(struct net_unresolved){ *task, time_ns, false });
}

/* Handles that the task of @event sends a packet (the last one whose neighbour it
 * looked for does not wait), or that its call has ended.
 */
static void note_sent(struct net_packets *packets,
		      const struct net_event *event)
{
	struct net_unresolved *items = packets->unresolved.items;

	for (size_t i = packets->unresolved.count; i--;) {
		if (items[i].task.tid != event->task.tid || items[i].is_certain)
			continue;
		if (event->kind == EVENT_NET_QUEUE) {
			array_remove(&packets->unresolved, i, 1);
			return;
		}
		items[i].is_certain = true;
	}
}

/* Returns the task whose packet waited longest; unknown if several processes
 * wait, perhaps for other neighbours.
 */
static struct task first_unresolved(struct net_packets *packets)
{
	const struct net_unresolved *items = packets->unresolved.items;
	struct task task;

	for (size_t i = 1; i < packets->unresolved.count; i++)
		if (items[i].task.pid != items[0].task.pid)
			packets->unresolved.count = 0;
	if (!packets->unresolved.count)
		return unknown_task;
	task = items[0].task;
	array_remove(&packets->unresolved, 0, 1);
	return task;
}

/* Returns the task that sends the packet of @event: invariant 5. */
static struct task sender_of(struct net_packets *packets,
			     const struct net_event *event)
{
	const struct net_cpu *cpu =
		keyed_array_find(&packets->cpus, &event->cpu);
	const struct net_packet *cause = at_hand(packets, event);
	struct task owner = unknown_task;

	if (event->sends_waiting)
		return first_unresolved(packets);
	if (event->is_task)
		return event->task;
	if (event->sends_more)
		return cpu ? cpu->more : unknown_task;
	if (cause)
		return user_of(packets, cause);
	if (cpu && cpu->focus[0].work == event->work)
		return cpu->focus[0].user;
	owner.tid = owner.pid = event->owner_pid;
	return event->owner_pid ? owner : unknown_task;
}

static int send_packet(struct net_packets *packets,
		       const struct net_event *event)
{
	struct net_packet *packet = net_packets_find(packets, event->address);
	struct task sender = sender_of(packets, event);
	const struct net_packet *cause =
		event->is_task ? NULL : at_hand(packets, event);
	uint32_t handshake = 0;
	struct task peer = cause ? cause->peer : unknown_task;

	if (cause)
		handshake = cause->handshake ?
				    cause->handshake :
				    net_handshakes_unused(&packets->handshakes,
							  cause->socket);
	/* Passed from device to device. */
	if (packet && packet->kind == NET_SENT && !packet->issued_ns)
		return 0;
	if (event->is_task && !event->sends_waiting)
		note_sent(packets, event);
	packet = add(packets, event, NET_SENT);
	if (!packet)
		return -ERROR_MEMORY;
	packet->queued_ns = event->time_ns;
	packet->handshake = handshake;
	packet->peer = peer;
	packet->task = sender;
	packet->is_inferred = (!event->is_task || event->sends_waiting) &&
			      sender.pid >= 0;
	return 0;
}

/* Records that the device gets the packet of @event, which may be a part of one
 * that was split.
 */
static int issue(struct net_packets *packets, const struct net_event *event)
{
	struct net_packet *packet = net_packets_find(packets, event->address);
	const struct net_cpu *cpu =
		keyed_array_find(&packets->cpus, &event->cpu);

	if ((!packet || packet->kind != NET_SENT) && cpu &&
	    cpu->cut.queued_ns && !strcmp(cpu->cut.device, event->device)) {
		packet = add(packets, event, NET_SENT);
		if (!packet)
			return -ERROR_MEMORY;
		packet->queued_ns = cpu->cut.queued_ns;
		infer(packet, cpu->cut.task);
	}
	if (packet && packet->kind == NET_SENT && !packet->issued_ns)
		packet->issued_ns = event->time_ns;
	return 0;
}

static int use(struct net_packets *packets, const struct net_event *event)
{
	struct net_socket *used = event->is_task && event->socket ?
					  socket_of(packets, event->socket) :
					  NULL;

	if (used)
		used->user = event->task;
	if (event->is_task)
		note_sent(packets, event);
	if (used && net_handshakes_use(&packets->handshakes, event->socket,
				       &event->task))
		return emit_held(packets);
	return event->is_task && event->socket && !used ? -ERROR_MEMORY : 0;
}

int net_packets_request(struct net_packets *packets,
			const struct net_event *event)
{
	struct net_packet *packet = at_hand(packets, event);

	if (!packet || packet->handshake)
		return 0;
	packet->handshake = net_handshakes_begin(
		&packets->handshakes, packet->device, packet->peer.tid);
	return packet->handshake ? 0 : -ERROR_MEMORY;
}

/* Handles that the packet at hand changes the state of a connection, which may
 * then have no user any more.
 */
static int change_by(struct net_packets *packets, const struct net_event *event)
{
	struct net_packet *packet = at_hand(packets, event);

	if (!packet || event->is_task ||
	    (packet->socket && packet->socket != event->socket))
		return 0;
	if (set_socket(packets, packet, event->socket) < 0)
		return -ERROR_MEMORY;
	if (!event->is_accepted)
		return 0;
	packet->handshake = net_handshakes_end(&packets->handshakes,
					       packet->device, packet->peer.tid,
					       packet->socket);
	return packet->handshake ? 0 : -ERROR_MEMORY;
}

static int change_state(struct net_packets *packets,
			const struct net_event *event)
{
	struct net_socket *used;

	used = number_map_pointer(&packets->sockets, event->socket);
	/* A closed one may have had this address, and been used since. */
	if (used && event->is_new)
		used->user = unknown_task;
	if (change_by(packets, event) < 0)
		return -ERROR_MEMORY;
	if (!event->is_closed)
		return use(packets, event);
	/* Another socket may get its address. */
	if (used)
		used->user = unknown_task;
	return 0;
}

static int wake(struct net_packets *packets, const struct net_event *event)
{
	const struct net_packet *packet = at_hand(packets, event);
	struct net_wake wake = { .tid = event->woken,
				 .time_ns = event->time_ns };
	int status = 0;

	if (!packet || (!packet->queued_ns && !packet->socket))
		return 0;
	wake.kind = packet->queued_ns ? NET_RECEIVED : NET_ACKNOWLEDGED;
	wake.device = packet->device;
	for (struct net_callback *to = packets->callbacks; to; to = to->next)
		if (to->woke && to->woke(to, &wake) < 0)
			status = -ERROR_MEMORY;
	return status;
}

int net_packets_consume(struct net_packets *packets,
			const struct net_event *event)
{
	static int (*const consumers[KNOWN_EVENTS])(
		struct net_packets *, const struct net_event *) = {
		[EVENT_GRO_RECEIVE] = arrive,
		[EVENT_NET_RX] = arrive,
		[EVENT_NET_RECEIVE] = receive,
		[EVENT_TCP_SEGMENT] = process,
		[EVENT_SOCKET_READY] = queue,
		[EVENT_SKB_COPY] = copy,
		[EVENT_SKB_CONSUME] = free_packet,
		[EVENT_SKB_FREE] = free_packet,
		[EVENT_NET_QUEUE] = send_packet,
		[EVENT_NET_XMIT] = issue,
		[EVENT_SOCKET_SENT] = use,
		[EVENT_SOCKET_TAKEN] = use,
		[EVENT_SOCKET_STATE] = change_state,
		[EVENT_SCHED_WAKING] = wake,
		[EVENT_SOFTIRQ_RAISE] = raise_softirq,
	};
	struct net_cpu *cpu = keyed_array_find(&packets->cpus, &event->cpu);

	if (cpu && event->kind != EVENT_SOFTIRQ_RAISE &&
	    cpu->freed_in == event->work)
		cpu->freed_in = NO_WORK;
	return consumers[event->kind] ? consumers[event->kind](packets, event) :
					0;
}

int net_packets_end(struct net_packets *packets)
{
	struct net_packet *packet;
	struct net_socket *from;
	size_t place = 0;
	int status = 0;

	while ((packet = number_map_next_pointer(&packets->flying, &place))) {
		packet->is_flying = false;
		if (!is_in_queue(packet) && settle(packets, packet) < 0)
			status = -ERROR_MEMORY;
	}
	number_map_free(&packets->flying);
	place = 0;
	while ((from = number_map_next_pointer(&packets->sockets, &place)))
		if (emit_queued(packets, from, from->queue.count) < 0)
			status = -ERROR_MEMORY;
	for (size_t i = 0; i < packets->held.count; i++)
		if (emit(packets, *(struct net_packet **)array_at(
					  &packets->held, i)) < 0)
			status = -ERROR_MEMORY;
	packets->held.count = 0;
	return status;
}

void net_packets_close(struct net_packets *packets)
{
	struct net_packet *packet;
	struct net_socket *from;
	struct net_cpu *cpus;
	size_t place = 0;

	while ((packet = number_map_next_pointer(&packets->flying, &place)))
		if (!is_in_queue(packet))
			drop(packets, packet);
	place = 0;
	while ((from = number_map_next_pointer(&packets->sockets, &place))) {
		for (size_t i = 0; i < from->queue.count; i++)
			drop(packets,
			     *(struct net_packet **)array_at(&from->queue, i));
		array_free(&from->queue);
		free(from);
	}
	number_map_free(&packets->flying);
	number_map_free(&packets->sockets);
	cpus = packets->cpus.items.items;
	for (size_t i = 0; i < packets->cpus.items.count; i++)
		array_free(&cpus[i].received);
	keyed_array_free(&packets->cpus);
	keyed_array_free(&packets->devices);
	keyed_array_free(&packets->peers);
	array_free(&packets->unresolved);
	net_handshakes_close(&packets->handshakes);
	for (size_t i = 0; i < packets->held.count; i++)
		drop(packets,
		     *(struct net_packet **)array_at(&packets->held, i));
	array_free(&packets->held);
}
