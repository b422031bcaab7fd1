/* SPDX-License-Identifier: MIT */
#include "attribution/packets/net_packets.h"

#include "tests/run_suite.h"

#include <string.h>

enum { READER = 7, WRITER = 8, OTHER = 9, MOST = 40 };
enum { SOCKET = 0x50, ITS_SOCKET = 0x60 };

/* The packets and wake-ups that were emitted. */
struct emitted {
	struct net_callback callback; /* first */
	struct net_packets packets;
	uint64_t time_ns;
	struct net_packet done[MOST];
	size_t count;
	struct net_wake wake;
	size_t wakes;
};

static int take_packet(struct net_callback *callback,
		       const struct net_packet *packet)
{
	struct emitted *emitted = (struct emitted *)callback;

	ck_assert_uint_lt(emitted->count, MOST);
	emitted->done[emitted->count++] = *packet;
	return 0;
}

static int take_wake(struct net_callback *callback, const struct net_wake *wake)
{
	struct emitted *emitted = (struct emitted *)callback;

	emitted->wake = *wake;
	emitted->wakes++;
	return 0;
}

static void open_all(struct emitted *emitted)
{
	memset(emitted, 0, sizeof(*emitted));
	emitted->callback.done = take_packet;
	emitted->callback.woke = take_wake;
	net_packets_open(&emitted->packets, NULL);
	net_packets_listen(&emitted->packets, &emitted->callback);
}

/* Emits the rest; @count packets must have been emitted in all. */
static void close_all(struct emitted *emitted, size_t count)
{
	ck_assert_int_eq(net_packets_end(&emitted->packets), 0);
	ck_assert_uint_eq(emitted->count, count);
	net_packets_close(&emitted->packets);
}

/* Each event is 10 ns after the one before. */
static void take(struct emitted *emitted, struct net_event event)
{
	emitted->time_ns += 10;
	event.time_ns = emitted->time_ns;
	if (!event.device)
		event.device = "eth0";
	if (!event.work)
		event.work = (uint64_t)event.task.tid;
	ck_assert_int_eq(net_packets_consume(&emitted->packets, &event), 0);
}

/* Passes on an event in the poll of interrupt work 1. */
#define POLL(emitted, ...) \
	take(emitted, \
	     (struct net_event){ .work = 1, .interrupt_ns = 5, __VA_ARGS__ })
#define TASK(emitted, who, ...) \
	take(emitted, \
	     (struct net_event){ .is_task = true, \
				 .task = { .tid = (who), .pid = (who) }, \
				 __VA_ARGS__ })

static void receive(struct emitted *emitted, uint64_t address)
{
	POLL(emitted, .kind = EVENT_GRO_RECEIVE, .address = address);
	POLL(emitted, .kind = EVENT_NET_RECEIVE, .address = address,
	     .bytes = 100);
}

static void segment(struct emitted *emitted, uint64_t address, uint64_t socket)
{
	receive(emitted, address);
	POLL(emitted, .kind = EVENT_TCP_SEGMENT, .address = address,
	     .socket = socket);
}

static void data(struct emitted *emitted, uint64_t address)
{
	segment(emitted, address, SOCKET);
	POLL(emitted, .kind = EVENT_SOCKET_READY, .socket = SOCKET);
}

static void is_read(const struct net_packet *packet, uint64_t queued_ns,
		    uint64_t read_ns, bool is_inferred)
{
	ck_assert_int_eq(packet->kind, NET_RECEIVED);
	ck_assert_int_eq(packet->task.pid, READER);
	ck_assert_uint_eq(packet->queued_ns, queued_ns);
	ck_assert_uint_eq(packet->ended_ns, read_ns);
	ck_assert_int_eq(packet->is_inferred, is_inferred);
}

START_TEST(a_datagram_is_read)
{
	struct emitted emitted;
	const struct net_packet *packet = emitted.done;

	open_all(&emitted);
	receive(&emitted, 0xa0);
	POLL(&emitted, .kind = EVENT_SOCKET_READY, .socket = SOCKET);
	POLL(&emitted, .kind = EVENT_SCHED_WAKING, .woken = READER);
	TASK(&emitted, READER, .kind = EVENT_SKB_CONSUME, .address = 0xa0);
	is_read(packet, 30, 50, false);
	ck_assert_uint_eq(packet->interrupt_ns, 5);
	ck_assert_uint_eq(packet->arrived_ns, 10);
	ck_assert_uint_eq(packet->received_ns, 20);
	ck_assert_uint_eq(packet->bytes, 100);
	ck_assert_uint_eq(emitted.wakes, 1);
	ck_assert_int_eq(emitted.wake.kind, NET_RECEIVED);
	ck_assert_int_eq(emitted.wake.tid, READER);
	ck_assert_uint_eq(emitted.wake.time_ns, 40);
	close_all(&emitted, 1);
}
END_TEST

/* A poll receives three packets before the protocols get the first, and drop
 * the second.
 */
START_TEST(packets_received_together_are_read_one_by_one)
{
	struct emitted emitted;

	open_all(&emitted);
	for (uint64_t address = 0xa0; address <= 0xc0; address += 0x10)
		receive(&emitted, address);
	POLL(&emitted, .kind = EVENT_SOCKET_READY, .socket = SOCKET);
	POLL(&emitted, .kind = EVENT_SCHED_WAKING, .woken = READER);
	POLL(&emitted, .kind = EVENT_SKB_FREE, .address = 0xb0);
	POLL(&emitted, .kind = EVENT_SOCKET_READY, .socket = SOCKET);
	TASK(&emitted, READER, .kind = EVENT_SKB_CONSUME, .address = 0xa0);
	TASK(&emitted, READER, .kind = EVENT_SKB_CONSUME, .address = 0xc0);
	ck_assert(emitted.done[0].is_freed);
	is_read(&emitted.done[1], 70, 110, false);
	is_read(&emitted.done[2], 100, 120, false);
	close_all(&emitted, 3);
}
END_TEST

/* Data that was appended to the first packet's is read with it, at the last copy
 * before that of the third.
 */
START_TEST(appended_data_is_read_with_the_packet_before)
{
	struct emitted emitted;

	open_all(&emitted);
	data(&emitted, 0xa0);
	data(&emitted, 0xb0);
	data(&emitted, 0xb0);
	TASK(&emitted, READER, .kind = EVENT_SKB_COPY, .address = 0xa0);
	TASK(&emitted, READER, .kind = EVENT_SKB_COPY, .address = 0xa0);
	TASK(&emitted, READER, .kind = EVENT_SKB_COPY, .address = 0xb0);
	ck_assert_uint_eq(emitted.count, 2);
	is_read(&emitted.done[0], 40, 130, false);
	is_read(&emitted.done[1], 80, 140, true);
	close_all(&emitted, 3);
	is_read(&emitted.done[2], 120, 150, false);
}
END_TEST

START_TEST(data_that_no_task_reads_is_open)
{
	struct emitted emitted;

	open_all(&emitted);
	data(&emitted, 0xa0);
	close_all(&emitted, 1);
	ck_assert_uint_eq(emitted.done[0].ended_ns, 0);
	ck_assert_int_eq(emitted.done[0].kind, NET_RECEIVED);
}
END_TEST

/* An acknowledgement's address is used again, by other sockets too. */
START_TEST(acknowledgements_are_for_the_user_of_the_connection)
{
	struct emitted emitted;

	open_all(&emitted);
	data(&emitted, 0xa0);
	TASK(&emitted, WRITER, .kind = EVENT_SOCKET_SENT, .socket = ITS_SOCKET);
	segment(&emitted, 0xb0, ITS_SOCKET);
	TASK(&emitted, OTHER, .kind = EVENT_SKB_COPY, .address = 0xb0);
	TASK(&emitted, OTHER, .kind = EVENT_SKB_CONSUME, .address = 0xb0);
	ck_assert_uint_eq(emitted.count, 1);
	ck_assert_int_eq(emitted.done[0].kind, NET_ACKNOWLEDGED);
	ck_assert_int_eq(emitted.done[0].task.pid, WRITER);
	ck_assert(emitted.done[0].is_inferred);
	close_all(&emitted, 2);
}
END_TEST

/* The socket's next user may be any. */
START_TEST(a_closed_connection_has_no_user)
{
	struct emitted emitted;

	open_all(&emitted);
	TASK(&emitted, WRITER, .kind = EVENT_SOCKET_SENT, .socket = SOCKET);
	TASK(&emitted, WRITER, .kind = EVENT_SOCKET_STATE, .socket = SOCKET,
	     .is_closed = true);
	segment(&emitted, 0xb0, SOCKET);
	close_all(&emitted, 1);
	ck_assert_int_eq(emitted.done[0].task.pid, -1);
}
END_TEST

/* No event shows the socket of a packet before the kernel drops it. */
START_TEST(a_dropped_packet_is_for_the_user_of_its_socket)
{
	struct emitted emitted;

	open_all(&emitted);
	TASK(&emitted, READER, .kind = EVENT_SOCKET_TAKEN, .socket = SOCKET);
	receive(&emitted, 0xa0);
	POLL(&emitted, .kind = EVENT_SKB_FREE, .address = 0xa0,
	     .socket = SOCKET);
	/* a socket that no task has used */
	receive(&emitted, 0xb0);
	POLL(&emitted, .kind = EVENT_SKB_FREE, .address = 0xb0,
	     .socket = ITS_SOCKET);
	close_all(&emitted, 2);
	ck_assert_int_eq(emitted.done[0].task.pid, READER);
	ck_assert(emitted.done[0].is_inferred);
	ck_assert_int_eq(emitted.done[1].task.pid, -1);
}
END_TEST

static void sent_to_itself(struct emitted *emitted, int sender,
			   uint64_t address)
{
	TASK(emitted, sender, .kind = EVENT_NET_QUEUE, .address = address);
	TASK(emitted, sender, .kind = EVENT_NET_XMIT, .address = address);
	TASK(emitted, sender, .kind = EVENT_NET_RX, .address = address);
	POLL(emitted, .kind = EVENT_NET_RECEIVE, .address = address);
}

/* READER has read a packet of WRITER; the next ones of either are dropped. */
START_TEST(a_packet_is_for_the_last_peer_of_its_sender)
{
	struct emitted emitted;

	open_all(&emitted);
	sent_to_itself(&emitted, WRITER, 0xa0);
	POLL(&emitted, .kind = EVENT_SOCKET_READY, .socket = SOCKET);
	TASK(&emitted, READER, .kind = EVENT_SKB_CONSUME, .address = 0xa0);
	sent_to_itself(&emitted, WRITER, 0xb0);
	POLL(&emitted, .kind = EVENT_SKB_FREE, .address = 0xb0);
	sent_to_itself(&emitted, READER, 0xc0);
	POLL(&emitted, .kind = EVENT_SKB_FREE, .address = 0xc0);
	close_all(&emitted, 6);
	ck_assert_int_eq(emitted.done[3].task.pid, READER);
	ck_assert(emitted.done[3].is_inferred);
	ck_assert_int_eq(emitted.done[5].task.pid, WRITER);
	ck_assert(emitted.done[5].is_inferred);
}
END_TEST

START_TEST(a_timer_sends_for_the_task_that_armed_it)
{
	struct emitted emitted;

	open_all(&emitted);
	POLL(&emitted, .kind = EVENT_NET_QUEUE, .address = 0xa0,
	     .owner_pid = WRITER);
	close_all(&emitted, 1);
	ck_assert_int_eq(emitted.done[0].task.pid, WRITER);
	ck_assert(emitted.done[0].is_inferred);
}
END_TEST

/* WRITER reads the end of its connection after that has been closed. */
START_TEST(a_new_connection_is_not_for_the_last_ones_user)
{
	struct emitted emitted;

	open_all(&emitted);
	TASK(&emitted, WRITER, .kind = EVENT_SOCKET_TAKEN, .socket = SOCKET);
	receive(&emitted, 0xb0);
	POLL(&emitted, .kind = EVENT_SOCKET_STATE, .socket = SOCKET,
	     .is_new = true);
	close_all(&emitted, 1);
	ck_assert_int_eq(emitted.done[0].task.pid, -1);
}
END_TEST

/* Its packets are for the task that used it, also if they end later. */
START_TEST(packets_before_the_end_of_a_connection_have_a_user)
{
	struct emitted emitted;

	open_all(&emitted);
	TASK(&emitted, READER, .kind = EVENT_SOCKET_SENT, .socket = SOCKET);
	segment(&emitted, 0xc0, SOCKET);
	data(&emitted, 0xa0);
	data(&emitted, 0xb0);
	TASK(&emitted, READER, .kind = EVENT_SKB_COPY, .address = 0xa0);
	/* the other side closes: no task copies that */
	data(&emitted, 0xd0);
	POLL(&emitted, .kind = EVENT_SOCKET_STATE, .socket = SOCKET,
	     .is_closed = true);
	TASK(&emitted, OTHER, .kind = EVENT_SOCKET_SENT, .socket = SOCKET);
	close_all(&emitted, 4);
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(emitted.done[i].task.pid, READER);
}
END_TEST

/* A device's packets are merged into the first one. */
START_TEST(merged_packets_are_not_packets)
{
	struct emitted emitted;

	open_all(&emitted);
	POLL(&emitted, .kind = EVENT_GRO_RECEIVE, .address = 0xb0);
	POLL(&emitted, .kind = EVENT_GRO_RECEIVE, .address = 0xb0);
	receive(&emitted, 0xa0);
	close_all(&emitted, 1);
	ck_assert_uint_eq(emitted.done[0].arrived_ns, 30);
}
END_TEST

/* The packet of another device is not the one that arrived. */
START_TEST(an_arrival_is_of_one_device)
{
	struct emitted emitted;

	open_all(&emitted);
	POLL(&emitted, .kind = EVENT_GRO_RECEIVE, .address = 0xb0);
	POLL(&emitted, .kind = EVENT_NET_RECEIVE, .address = 0xb0,
	     .device = "tun0");
	close_all(&emitted, 1);
	ck_assert_uint_eq(emitted.done[0].arrived_ns, 20);
	ck_assert_str_eq(emitted.done[0].device, "tun0");
}
END_TEST

/* ksoftirqd processes packets that another CPU queued to its backlog. */
START_TEST(a_packet_passes_the_backlog)
{
	struct emitted emitted;

	open_all(&emitted);
	POLL(&emitted, .kind = EVENT_GRO_RECEIVE, .address = 0xa0, .cpu = 1);
	take(&emitted, (struct net_event){ .work = 2,
					   .kind = EVENT_NET_RECEIVE,
					   .address = 0xa0,
					   .is_backlog = true,
					   .is_thread = true });
	close_all(&emitted, 1);
	ck_assert_uint_eq(emitted.done[0].arrived_ns, 10);
	ck_assert_uint_eq(emitted.done[0].interrupt_ns, 5);
	ck_assert(emitted.done[0].is_backlog);
	ck_assert(emitted.done[0].is_thread);
}
END_TEST

/* The loopback device receives the packets that it sends. */
START_TEST(the_loopback_device_sends_and_receives)
{
	struct emitted emitted;

	open_all(&emitted);
	TASK(&emitted, WRITER, .kind = EVENT_NET_QUEUE, .address = 0xa0);
	TASK(&emitted, WRITER, .kind = EVENT_NET_XMIT, .address = 0xa0);
	TASK(&emitted, WRITER, .kind = EVENT_NET_RX, .address = 0xa0);
	ck_assert_uint_eq(emitted.count, 1);
	ck_assert_int_eq(emitted.done[0].kind, NET_SENT);
	ck_assert_int_eq(emitted.done[0].task.pid, WRITER);
	ck_assert_uint_eq(emitted.done[0].ended_ns, 30);
	POLL(&emitted, .kind = EVENT_NET_RECEIVE, .address = 0xa0);
	close_all(&emitted, 2);
	ck_assert_uint_eq(emitted.done[1].arrived_ns, 30);
}
END_TEST

/* A packet is cut into two; their end lets the connection send more. */
START_TEST(parts_of_a_packet_and_what_follows_are_the_senders)
{
	struct emitted emitted;

	open_all(&emitted);
	TASK(&emitted, WRITER, .kind = EVENT_NET_QUEUE, .address = 0xa0);
	TASK(&emitted, WRITER, .kind = EVENT_SKB_CONSUME, .address = 0xa0);
	TASK(&emitted, WRITER, .kind = EVENT_NET_XMIT, .address = 0xb0);
	TASK(&emitted, WRITER, .kind = EVENT_NET_XMIT, .address = 0xc0);
	POLL(&emitted, .kind = EVENT_SKB_CONSUME, .address = 0xb0);
	/* an interrupt of the poll */
	take(&emitted, (struct net_event){ .work = 3,
					   .kind = EVENT_SCHED_WAKING,
					   .woken = OTHER });
	POLL(&emitted, .kind = EVENT_SOFTIRQ_RAISE, .is_tasklet = true);
	POLL(&emitted, .kind = EVENT_SKB_CONSUME, .address = 0xc0);
	take(&emitted, (struct net_event){ .work = 2,
					   .sends_more = true,
					   .kind = EVENT_NET_QUEUE,
					   .address = 0xd0 });
	close_all(&emitted, 3);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(emitted.done[i].kind, NET_SENT);
		ck_assert_int_eq(emitted.done[i].task.pid, WRITER);
		ck_assert(emitted.done[i].is_inferred);
	}
	ck_assert_uint_eq(emitted.done[0].queued_ns, 10);
	ck_assert_uint_eq(emitted.done[0].issued_ns, 30);
	ck_assert_uint_eq(emitted.done[0].ended_ns, 50);
}
END_TEST

static void looks_for_neighbour(struct emitted *emitted, int tid)
{
	const struct task task = { .tid = tid, .pid = tid };

	ck_assert_int_eq(net_packets_resolve(&emitted->packets, &task,
					     emitted->time_ns),
			 0);
}

/* A packet that its task sends at once does not wait; those of one process that
 * wait are its own, those of several are of an unknown one.
 */
START_TEST(packets_that_waited_for_their_neighbour_are_the_senders)
{
	static const int senders[] = { WRITER, WRITER, WRITER, -1 };
	struct emitted emitted;

	open_all(&emitted);
	looks_for_neighbour(&emitted, OTHER);
	TASK(&emitted, OTHER, .kind = EVENT_NET_QUEUE, .address = 0xf0);
	TASK(&emitted, WRITER, .kind = EVENT_NET_QUEUE, .address = 0xa0);
	looks_for_neighbour(&emitted, WRITER);
	TASK(&emitted, WRITER, .kind = EVENT_SOCKET_SENT, .socket = SOCKET);
	TASK(&emitted, WRITER, .kind = EVENT_NET_QUEUE, .address = 0xb0);
	POLL(&emitted, .sends_waiting = true, .kind = EVENT_NET_QUEUE,
	     .address = 0xc0);
	looks_for_neighbour(&emitted, OTHER);
	looks_for_neighbour(&emitted, WRITER);
	POLL(&emitted, .sends_waiting = true, .kind = EVENT_NET_QUEUE,
	     .address = 0xd0);
	for (uint64_t address = 0xa0; address < 0xe0; address += 0x10) {
		POLL(&emitted, .kind = EVENT_NET_XMIT, .address = address);
		POLL(&emitted, .kind = EVENT_SKB_CONSUME, .address = address);
	}
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(emitted.done[i].task.pid, senders[i]);
	ck_assert(!emitted.done[1].is_inferred);
	ck_assert(emitted.done[2].is_inferred);
	close_all(&emitted, 5);
}
END_TEST

/* An answer is sent while a packet is processed, but not by later work. */
START_TEST(an_answer_is_the_connections)
{
	struct emitted emitted;

	open_all(&emitted);
	TASK(&emitted, READER, .kind = EVENT_SOCKET_TAKEN, .socket = SOCKET);
	data(&emitted, 0xa0);
	POLL(&emitted, .kind = EVENT_NET_QUEUE, .address = 0xb0);
	take(&emitted, (struct net_event){ .work = 2,
					   .kind = EVENT_NET_QUEUE,
					   .address = 0xc0 });
	POLL(&emitted, .kind = EVENT_NET_XMIT, .address = 0xb0);
	POLL(&emitted, .kind = EVENT_NET_XMIT, .address = 0xc0);
	POLL(&emitted, .kind = EVENT_SKB_CONSUME, .address = 0xb0);
	POLL(&emitted, .kind = EVENT_SKB_CONSUME, .address = 0xc0);
	ck_assert_int_eq(emitted.done[0].task.pid, READER);
	ck_assert_int_eq(emitted.done[1].task.pid, -1);
	close_all(&emitted, 3);
}
END_TEST

static void asks_for_connection(struct emitted *emitted, uint64_t address)
{
	POLL(emitted, .kind = EVENT_NET_RECEIVE, .address = address);
	ck_assert_int_eq(net_packets_request(&emitted->packets,
					     &(struct net_event){ .work = 1 }),
			 0);
}

/* The listening socket ITS_SOCKET reports the new connection. */
static void accepts_connection(struct emitted *emitted, uint64_t socket)
{
	POLL(emitted, .kind = EVENT_SOCKET_STATE, .socket = socket,
	     .is_accepted = true);
	POLL(emitted, .kind = EVENT_SOCKET_READY, .socket = ITS_SOCKET);
}

/* @address is sent to this machine, and arrives. */
static void loops(struct emitted *emitted, struct net_event event)
{
	static const uint8_t kinds[] = { EVENT_NET_QUEUE, EVENT_NET_XMIT,
					 EVENT_NET_RX };

	for (size_t i = 0; i < 3; i++) {
		event.kind = kinds[i];
		event.device = "lo";
		take(emitted, event);
	}
}

/* A connection sends packets for an acknowledgement that it has freed: the first has
 * its address, and is split. A later one with that address arrives at once, for the
 * process that exchanged a packet with the sender before.
 */
START_TEST(a_freed_acknowledgement_still_causes_packets)
{
	struct emitted emitted;

	open_all(&emitted);
	loops(&emitted,
	      (struct net_event){ .is_task = true,
				  .task = { .tid = WRITER, .pid = WRITER },
				  .address = 0xd0 });
	POLL(&emitted, .kind = EVENT_NET_RECEIVE, .address = 0xd0,
	     .device = "lo");
	POLL(&emitted, .kind = EVENT_SOCKET_READY, .socket = ITS_SOCKET);
	TASK(&emitted, READER, .kind = EVENT_SKB_CONSUME, .address = 0xd0);
	TASK(&emitted, WRITER, .kind = EVENT_SOCKET_SENT, .socket = SOCKET);
	segment(&emitted, 0xa0, SOCKET);
	POLL(&emitted, .kind = EVENT_NET_QUEUE, .address = 0xa0);
	POLL(&emitted, .kind = EVENT_NET_QUEUE, .address = 0xb0);
	POLL(&emitted, .kind = EVENT_SKB_CONSUME, .address = 0xa0);
	loops(&emitted, (struct net_event){ .work = 1, .address = 0xa0 });
	POLL(&emitted, .kind = EVENT_NET_QUEUE, .address = 0xc0);
	close_all(&emitted, 6);
	for (size_t i = 2; i < 6; i++)
		ck_assert_int_eq(emitted.done[i].task.pid, WRITER);
}
END_TEST

/* The SYN, its answer and the ACK wait until READER uses the connection, which is
 * not that of OTHER.
 */
START_TEST(a_handshake_is_for_the_task_that_accepts)
{
	struct emitted emitted;

	open_all(&emitted);
	TASK(&emitted, OTHER, .kind = EVENT_SOCKET_TAKEN, .socket = 0x80);
	segment(&emitted, 0xf0, 0x80);
	POLL(&emitted, .kind = EVENT_GRO_RECEIVE, .address = 0xa0);
	asks_for_connection(&emitted, 0xa0);
	POLL(&emitted, .kind = EVENT_NET_QUEUE, .address = 0xb0);
	POLL(&emitted, .kind = EVENT_SKB_CONSUME, .address = 0xa0);
	POLL(&emitted, .kind = EVENT_NET_XMIT, .address = 0xb0);
	POLL(&emitted, .kind = EVENT_SKB_CONSUME, .address = 0xb0);
	receive(&emitted, 0xc0);
	accepts_connection(&emitted, SOCKET);
	/* data, and its acknowledgement */
	data(&emitted, 0xc0);
	POLL(&emitted, .kind = EVENT_NET_QUEUE, .address = 0xd0);
	POLL(&emitted, .kind = EVENT_NET_XMIT, .address = 0xd0);
	POLL(&emitted, .kind = EVENT_SKB_CONSUME, .address = 0xd0);
	TASK(&emitted, OTHER, .kind = EVENT_SOCKET_TAKEN, .socket = 0x80);
	ck_assert_uint_eq(emitted.count, 0);
	TASK(&emitted, READER, .kind = EVENT_SOCKET_TAKEN, .socket = SOCKET);
	ck_assert_uint_eq(emitted.count, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_int_eq(emitted.done[i].kind,
				 i & 1 ? NET_SENT : NET_ACKNOWLEDGED);
		ck_assert_int_eq(emitted.done[i].task.pid, READER);
		ck_assert(emitted.done[i].is_inferred);
	}
	close_all(&emitted, 6);
}
END_TEST

static void sends_by_loopback(struct emitted *emitted, int tid,
			      uint64_t address)
{
	TASK(emitted, tid, .kind = EVENT_NET_QUEUE, .address = address);
	TASK(emitted, tid, .kind = EVENT_NET_XMIT, .address = address);
	TASK(emitted, tid, .kind = EVENT_NET_RX, .address = address);
}

/* READER accepts the connection that WRITER starts after OTHER did, and the
 * answer is WRITER's.
 */
START_TEST(handshakes_of_this_machine_are_not_mixed_up)
{
	static const int whose[] = { OTHER, WRITER, WRITER, READER, READER };
	struct emitted emitted;

	open_all(&emitted);
	sends_by_loopback(&emitted, OTHER, 0xa0);
	asks_for_connection(&emitted, 0xa0);
	sends_by_loopback(&emitted, WRITER, 0xb0);
	asks_for_connection(&emitted, 0xb0);
	POLL(&emitted, .kind = EVENT_NET_QUEUE, .address = 0xc0);
	POLL(&emitted, .kind = EVENT_NET_XMIT, .address = 0xc0);
	POLL(&emitted, .kind = EVENT_NET_RX, .address = 0xc0);
	POLL(&emitted, .kind = EVENT_NET_RECEIVE, .address = 0xc0);
	POLL(&emitted, .kind = EVENT_SKB_CONSUME, .address = 0xb0);
	sends_by_loopback(&emitted, WRITER, 0xb0);
	POLL(&emitted, .kind = EVENT_NET_RECEIVE, .address = 0xb0);
	accepts_connection(&emitted, SOCKET);
	TASK(&emitted, READER, .kind = EVENT_SOCKET_TAKEN, .socket = SOCKET);
	ck_assert_uint_eq(emitted.count, 5);
	for (size_t i = 0; i < 5; i++)
		ck_assert_int_eq(emitted.done[i].task.pid, whose[i]);
	ck_assert_int_eq(emitted.done[3].kind, NET_SENT);
	close_all(&emitted, 8);
	ck_assert_int_eq(emitted.done[5].kind, NET_ACKNOWLEDGED);
}
END_TEST

/* The packet that ends a connection is for its last user. */
START_TEST(a_reset_is_for_the_user_of_the_connection)
{
	struct emitted emitted;

	open_all(&emitted);
	TASK(&emitted, WRITER, .kind = EVENT_SOCKET_SENT, .socket = SOCKET);
	receive(&emitted, 0xa0);
	POLL(&emitted, .kind = EVENT_SOCKET_STATE, .socket = SOCKET,
	     .is_closed = true);
	POLL(&emitted, .kind = EVENT_SKB_CONSUME, .address = 0xa0);
	close_all(&emitted, 1);
	ck_assert_int_eq(emitted.done[0].kind, NET_ACKNOWLEDGED);
	ck_assert_int_eq(emitted.done[0].task.pid, WRITER);
}
END_TEST

SUITE("net_packets")
{
	TEST(a_handshake_is_for_the_task_that_accepts);
	TEST(handshakes_of_this_machine_are_not_mixed_up);
	TEST(a_reset_is_for_the_user_of_the_connection);
	TEST(a_datagram_is_read);
	TEST(packets_received_together_are_read_one_by_one);
	TEST(appended_data_is_read_with_the_packet_before);
	TEST(data_that_no_task_reads_is_open);
	TEST(acknowledgements_are_for_the_user_of_the_connection);
	TEST(a_closed_connection_has_no_user);
	TEST(a_dropped_packet_is_for_the_user_of_its_socket);
	TEST(a_packet_is_for_the_last_peer_of_its_sender);
	TEST(a_timer_sends_for_the_task_that_armed_it);
	TEST(a_new_connection_is_not_for_the_last_ones_user);
	TEST(packets_before_the_end_of_a_connection_have_a_user);
	TEST(merged_packets_are_not_packets);
	TEST(an_arrival_is_of_one_device);
	TEST(a_packet_passes_the_backlog);
	TEST(the_loopback_device_sends_and_receives);
	TEST(parts_of_a_packet_and_what_follows_are_the_senders);
	TEST(packets_that_waited_for_their_neighbour_are_the_senders);
	TEST(an_answer_is_the_connections);
	TEST(a_freed_acknowledgement_still_causes_packets);
}
