/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_NET_PACKETS_H
#define KT_ATTRIBUTION_NET_PACKETS_H

/* Packets of network devices, from the interrupt to the thread that reads them,
 * and from the thread that sends them to their completion: for the owners of
 * interrupt work (track_packets.c), report --network and SQL's packet.
 *
 *   received:  interrupt --> arrived --> received --> queued --> read
 *                 the driver    GRO, backlog  protocols   socket
 *
 *   sent:      queued to the device --> issued --> freed
 *                 its queue (qdisc)       the device
 *
 *   interrupt  start of the interrupt that scheduled the device's poll
 *   arrived    net:napi_gro_receive_entry, net:netif_rx
 *   received   net:netif_receive_skb: the protocols start
 *   queued     sock:sk_data_ready: the socket reports it to its readers
 *   read       skb:skb_copy_datagram_iovec or skb:consume_skb in a task
 *   net:net_dev_queue, net:net_dev_start_xmit, skb:consume_skb when sent
 *
 * The events have the address of the packet's struct sk_buff, which the kernel
 * uses again for later packets, often without an event for the end of the
 * earlier one.
 *
 * Invariants:
 * 1. A packet is emitted at most once: when it is freed or replaced, when a task
 *    reads a later packet of the same socket, or at the end of the pass. The
 *    parts of a packet that was split, and data that was merged into an earlier
 *    packet, are not packets of their own.
 * 2. The times of a packet rise in the order above, as far as they are known;
 *    an unknown time is 0.
 * 3. If a connection appends a packet's data to an earlier packet of the
 *    socket's queue, no event shows when they are read. Inferred: the packet
 *    was read when a task last copied from that socket before the first copy of
 *    a later packet's data.
 * 4. If the kernel has the event sock:sk_data_ready, only packets that a socket
 *    reported are read: the address of any other packet may be in use for
 *    something else.
 * 5. The sender is the task that sends. In interrupt work it is inferred: the
 *    last user of the connection whose packet is processed; if that is unknown,
 *    of the last connection with a packet from the same device. Data that
 *    waited for room in a device is from the sender of the packet whose end made
 *    room.
 *    A timer sends for the process that armed it.
 *    Packets that waited for the address of their neighbour (ARP) are from the
 *    only process that waits for any.
 * 6. The packets that start a connection (SYN, SYN-ACK, ACK) and answers to its
 *    first data are for the task that first uses the connection's socket, as
 *    inferred: they are emitted when it does.
 * 7. A packet that answers one from this machine is for the sender of that one,
 *    as inferred, if its connection is unknown. Any other packet from this
 *    machine is then for the process that its sender exchanged one with last.
 *
 * At most MOST_HELD packets wait for a user. Memory grows with the number of
 * packets in flight and of sockets; a socket's queue has at most MOST_QUEUED
 * packets. Functions return 0 or -ERROR_MEMORY.
 */

#include "attribution/events/known_events.h"
#include "attribution/packets/net_handshakes_internal.h"
#include "common/array.h"
#include "common/maps.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

enum net_kind {
	NET_RECEIVED,
	/* received, and processed by a connection only, or freed without an
	 * event
	 */
	NET_ACKNOWLEDGED,
	NET_SENT,
	NET_KINDS,
};

struct net_packet {
	enum net_kind kind;
	char device[NET_DEVICE_SIZE];
	/* the task that read or sent it; pid is -1 if unknown */
	struct task task;
	uint64_t address; /* of its struct sk_buff */
	bool is_flying;	  /* no other packet has this address yet */
	uint64_t socket;  /* 0: unknown */
	uint64_t bytes;
	uint64_t interrupt_ns;
	uint64_t arrived_ns;
	uint64_t received_ns;
	/* when it was added to the queue of the socket, or of the device */
	uint64_t queued_ns;
	uint64_t issued_ns;
	uint64_t ended_ns;  /* when it was read, or freed by the device */
	bool is_backlog;    /* passed a CPU's backlog: loopback, RPS */
	bool is_thread;	    /* ksoftirqd or another thread processed it */
	bool is_inferred;   /* task or ended_ns is inferred */
	bool is_freed;	    /* received, and freed with an event */
	uint32_t handshake; /* of struct net_handshakes; 0: none */
	/* received: its sender; sent: the sender of the packet that it answers.
	 * pid is -1 if it is not on this machine.
	 */
	struct task peer;
	/* of a received packet that no task reads: the user of its socket when
	 * it was processed (another socket may have the address when it ends),
	 * or the peer of the sent packet; pid is -1 if unknown
	 */
	struct task candidate;
	void *extra; /* of the observer */
};

const char *net_kind_name(enum net_kind kind);

/* The parts of a packet's time, in its order. */
enum net_part {
	NET_PART_INTERRUPT, /* from the interrupt until it arrived */
	NET_PART_BACKLOG,   /* until the protocols got it */
	NET_PART_STACK,	    /* until the socket's queue had it */
	NET_PART_SOCKET,    /* until it was read */
	NET_PART_QUEUE,	    /* sent: in the device's queue */
	NET_PART_DEVICE,    /* sent: until the device's end */
	NET_PARTS,
};

/* Returns the start and end of the part @part of @packet. 0 is an unknown time,
 * or a part that packets of this kind do not have.
 */
struct time_window net_packet_part(const struct net_packet *packet,
				   enum net_part part);

/* Returns the first known time of @packet: that of its interrupt or, if that is
 * unknown, of its arrival; or of its sending.
 */
uint64_t net_packet_start(const struct net_packet *packet);

/* A packet that woke thread @tid at @time_ns. */
struct net_wake {
	enum net_kind kind; /* not NET_SENT */
	const char *device;
	int32_t tid;
	uint64_t time_ns;
};

/* Receives packets and wake-ups. Its functions return 0 or -ERROR_MEMORY; the
 * second argument is valid during the call. woke may be NULL.
 */
struct net_callback {
	int (*done)(struct net_callback *callback,
		    const struct net_packet *packet);
	int (*woke)(struct net_callback *callback, const struct net_wake *wake);
	struct net_callback *next; /* of struct net_packets */
};

/* Is notified when a packet is freed, after it was emitted. */
struct net_observer {
	void (*ended)(struct net_observer *observer, struct net_packet *packet);
};

/* A kernel event about a packet, socket or thread, and the work in which it
 * happened.
 */
struct net_event {
	enum known_event kind;
	int32_t cpu;
	struct task task;
	/* it happened in the task itself, not in interrupt work */
	bool is_task;
	uint64_t time_ns;
	uint64_t address; /* of the packet */
	uint64_t socket;
	uint64_t bytes;
	const char *device;
	int32_t woken; /* EVENT_SCHED_WAKING: the thread */
	/* start of the interrupt that scheduled the running poll; 0: unknown */
	uint64_t interrupt_ns;
	bool is_backlog; /* the running poll is that of a CPU's backlog */
	bool is_thread;
	/* the running interrupt work sends data that waited for room in a
	 * device
	 */
	bool sends_more;
	bool sends_waiting; /* packets that waited for a neighbour's address */
	/* process that armed the timer, or queued the item, that runs; or 0 */
	int32_t owner_pid;
	/* identifies the running interrupt work, or the task's system call */
	uint64_t work;
	bool is_new;	  /* EVENT_SOCKET_STATE: a connection gets the socket */
	bool is_closed;	  /* EVENT_SOCKET_STATE: the socket is closed now */
	bool is_accepted; /* EVENT_SOCKET_STATE: a handshake has ended */
	bool is_tasklet;  /* EVENT_SOFTIRQ_RAISE: tasklets will run */
};

/* The packets in flight. */
struct net_packets {
	struct net_callback *callbacks; /* borrowed; the last added is first */
	struct net_observer *observer;	/* borrowed; or NULL */
	struct number_map flying;	/* struct net_packet *, by address */
	struct number_map sockets;	/* struct net_socket *, by address */
	struct keyed_array cpus;	/* struct net_cpu */
	struct keyed_array devices;	/* struct net_device */
	struct keyed_array peers;	/* struct net_peer */
	struct array unresolved;	/* struct net_unresolved, in order */
	struct net_handshakes handshakes;
	struct array held;   /* struct net_packet *: see invariant 6 */
	bool reports_queued; /* EVENT_SOCKET_READY was seen */
};

/* @observer is borrowed and may be NULL. */
void net_packets_open(struct net_packets *packets,
		      struct net_observer *observer);
void net_packets_close(struct net_packets *packets);

/* Passes all packets and wake-ups to @callback, which is borrowed. */
void net_packets_listen(struct net_packets *packets,
			struct net_callback *callback);

/* Returns the packet at @address, or NULL; valid until its end. */
struct net_packet *net_packets_find(const struct net_packets *packets,
				    uint64_t address);

/* Returns the task whose connection @packet is for, as inferred; pid is -1 if
 * unknown.
 */
struct task net_packets_user(const struct net_packets *packets,
			     const struct net_packet *packet);

/* Returns the task that used the connection of @packet last, or NULL. */
const struct task *net_packets_socket_user(const struct net_packets *packets,
					   const struct net_packet *packet);

/* Returns whether @event, EVENT_SOFTIRQ_RAISE, raises the tasklet in which the
 * connection of the packet that was just freed will send more data (tcp_wfree()
 * in net/ipv4/tcp_output.c).
 */
bool net_packets_sends_more(const struct net_packets *packets,
			    const struct net_event *event);

/* Applies one event. Events must be in order of time. */
int net_packets_consume(struct net_packets *packets,
			const struct net_event *event);

/* Handles that the kernel looked for the neighbour's address of a packet of
 * @task: the packet waits for it if the task does not send it now.
 */
int net_packets_resolve(struct net_packets *packets, const struct task *task,
			uint64_t time_ns);

/* Records that a packet starts a connection: the packet that the work of @event
 * processes. Uses only the work and the CPU of @event.
 */
int net_packets_request(struct net_packets *packets,
			const struct net_event *event);

/* Emits the packets that are still in flight. */
int net_packets_end(struct net_packets *packets);

#endif
