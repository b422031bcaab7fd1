/* SPDX-License-Identifier: MIT */
/* Charging the work of devices: disks and networks. */
#include "attribution/interrupts/interrupt_accounts.h"
#include "tables/processes/time_account.h"
#include "tests/fixtures/interrupt_story.h"
#include "tests/run_suite.h"

static void disk_read_story(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	NS(100);
	IN("entry_SYSCALL_64");
	IN("vfs_read");
	EVENT(EVENT_BIO_QUEUE, 8, 100, 8);
	NS(200);
	switch_to(f, 0, 5);
	disk_interrupt(f, 300);
	NS(400);
}

/* A flush, whose request has no sectors, before 7's write and 6's. */
static void flush_story(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	EVENT(EVENT_BIO_QUEUE, 8, 100, 8, 'F');
	NS(200);
	switch_to(f, 0, 6);
	EVENT(EVENT_BIO_QUEUE, 8, 200, 8, 'F');
	EVENT(EVENT_BIO_QUEUE, 8, 300, 8, 'W');
	NS(250);
	switch_to(f, 0, 5);
	NS(300);
	IN("asm_common_interrupt");
	EVENT(EVENT_REQUEST_COMPLETE, 8, -1, 0, 'F');
	NS(340);
	OUT;
	NS(400);
}

/* A mapped device passes the request on from another thread. */
static void mapped_disk_story(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	NS(100);
	IN("entry_SYSCALL_64");
	EVENT(EVENT_BIO_QUEUE, 253, 40, 8);
	NS(200);
	switch_to(f, 0, 6);
	EVENT(EVENT_BIO_REMAP, 8, 100, 8, 253, 40);
	EVENT(EVENT_BIO_QUEUE, 8, 100, 8);
	NS(250);
	switch_to(f, 0, 5);
	disk_interrupt(f, 300);
	NS(400);
}

/* A merged request of two threads, in sectors 3 to 1. */
static void merged_disk_story(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	EVENT(EVENT_BIO_QUEUE, 8, 100, 6);
	NS(200);
	switch_to(f, 0, 6);
	EVENT(EVENT_BIO_QUEUE, 8, 106, 2);
	NS(250);
	switch_to(f, 0, 5);
	disk_interrupt(f, 300);
	NS(400);
}

/* The kernel splits 7's bio into two requests, each with an interrupt. */
static void split_disk_story(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	EVENT(EVENT_BIO_QUEUE, 8, 100, 16);
	NS(200);
	switch_to(f, 0, 5);
	for (int half = 0; half < 2; half++) {
		NS(300 + 100 * half);
		IN("asm_common_interrupt");
		EVENT(EVENT_REQUEST_COMPLETE, 8, 100 + 8 * half, 8);
		NS(340 + 100 * half);
		OUT;
	}
	NS(500);
}

enum { FIRST_DISK = 8 << 20, SECOND_DISK = FIRST_DISK | 16 };

static void disk_done(struct attribution_fixture *f, uint64_t base, int disk)
{
	NS(base);
	IN("asm_common_interrupt");
	EVENT(EVENT_REQUEST_COMPLETE, disk, 100, 8);
	EVENT(EVENT_BIO_COMPLETE, disk, 100, 8);
	NS(base + 40);
	OUT;
}

/* 6 writes to the same sectors of one disk as 7 to those of another: a mirror.
 * The second completion of the first disk has nothing left to complete.
 */
static void mirror_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	disk_done(f, 100, SECOND_DISK);
	switch_to(f, 0, 7);
	EVENT(EVENT_BIO_QUEUE, SECOND_DISK, 100, 8);
	NS(200);
	switch_to(f, 0, 6);
	EVENT(EVENT_BIO_QUEUE, FIRST_DISK, 100, 8);
	NS(250);
	switch_to(f, 0, 5);
	disk_done(f, 300, FIRST_DISK);
	disk_done(f, 400, SECOND_DISK);
	NS(500);
}

/* A bio of a partition has the partition's number, its completion the disk's. */
static void partition_story(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	EVENT(EVENT_BIO_QUEUE, FIRST_DISK | 1, 100, 8);
	NS(200);
	switch_to(f, 0, 5);
	disk_done(f, 300, FIRST_DISK);
	NS(500);
}

/* The interrupt raises a soft interrupt, that completes the request. */
static void done_softirq_story(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	EVENT(EVENT_BIO_QUEUE, 8, 100, 8);
	NS(200);
	switch_to(f, 0, 5);
	NS(300);
	IN("asm_common_interrupt");
	EVENT(EVENT_SOFTIRQ_RAISE, BLOCK);
	NS(340);
	OUT;
	NS(400);
	IN("handle_softirqs");
	NS(410);
	IN("blk_done_softirq");
	EVENT(EVENT_REQUEST_COMPLETE, 8, 100, 8);
	NS(440);
	OUT;
	NS(450);
	OUT;
	NS(500);
}

/* A soft interrupt is pending to complete 7's request when 6's request
 * completes, which an interrupt is about to pass to it.
 */
static void second_is_done(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	EVENT(EVENT_BIO_QUEUE, 8, 100, 8);
	NS(200);
	switch_to(f, 0, 6);
	EVENT(EVENT_BIO_QUEUE, 8, 200, 8);
	NS(250);
	switch_to(f, 0, 5);
	NS(300);
	IN("asm_common_interrupt");
	IN("blk_mq_complete_request_remote");
	EVENT(EVENT_SOFTIRQ_RAISE, BLOCK);
	OUT;
	NS(340);
	OUT;
	NS(350);
	IN("asm_common_interrupt");
	IN("blk_mq_complete_request_remote");
}

static void block_softirq(struct attribution_fixture *f, bool ends_both)
{
	NS(390);
	OUT;
	NS(400);
	IN("handle_softirqs");
	IN("blk_done_softirq");
	EVENT(EVENT_REQUEST_COMPLETE, 8, 100, 8);
	if (ends_both)
		EVENT(EVENT_REQUEST_COMPLETE, 8, 200, 8);
	NS(440);
	OUT;
	OUT;
}

static void done_while_raised_story(struct attribution_fixture *f)
{
	second_is_done(f);
	OUT;
	block_softirq(f, true);
}

/* 6's request completes without a soft interrupt, as on a disk with queues for
 * all CPUs.
 */
static void done_at_once_story(struct attribution_fixture *f)
{
	second_is_done(f);
	OUT;
	EVENT(EVENT_REQUEST_COMPLETE, 8, 200, 8);
	block_softirq(f, false);
}

/* Another CPU is sent the completion, which is not traced. */
static void done_elsewhere_story(struct attribution_fixture *f)
{
	second_is_done(f);
	IN("native_send_call_func_single_ipi");
	OUT;
	OUT;
	block_softirq(f, false);
}

static void poll_interrupt(struct attribution_fixture *f, uint64_t base)
{
	NS(base);
	IN("asm_common_interrupt");
	NS(base + 10);
	IN("__handle_irq_event_percpu");
	IN("net_handler");
	IN("__napi_schedule");
	EVENT(EVENT_SOFTIRQ_RAISE, NET_RX);
	OUT;
	NS(base + 20);
	OUT;
	OUT;
	NS(base + 30);
	OUT;
}

/* One softirq with one poll; the poll takes 40. */
static void poll_begins(struct attribution_fixture *f, uint64_t base)
{
	NS(base);
	IN("__do_softirq");
	jump(f, 0, "handle_softirqs");
	NS(base + 10);
	IN("net_rx_action");
	NS(base + 20);
	IN("__napi_poll");
	IN("device_poll");
}

static void poll_ends(struct attribution_fixture *f, uint64_t base)
{
	NS(base + 60);
	OUT;
	OUT;
	NS(base + 70);
	OUT;
	NS(base + 80);
	OUT;
}

static void receive_packet(struct attribution_fixture *f, int64_t address)
{
	EVENT(EVENT_GRO_RECEIVE, address);
	EVENT(EVENT_NET_RECEIVE, address);
}

/* A packet for 8 arrives on 5's time, and 8 reads it later. */
static void receive_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	poll_interrupt(f, 100);
	poll_begins(f, 200);
	receive_packet(f, 0xa00);
	poll_ends(f, 200);
	NS(300);
	switch_to(f, 0, 8);
	NS(350);
	IN("entry_SYSCALL_64");
	EVENT(EVENT_SKB_CONSUME, 0xa00);
	NS(400);
}

/* The poll of a device on CPU 1 passes a packet for 8 on to CPU 0. */
static void steered_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	starts(f, 1, 6);
	NS(100);
	enter(f, 1, "handle_softirqs");
	enter(f, 1, "net_rx_action");
	enter(f, 1, "__napi_poll");
	enter(f, 1, "device_poll");
	event(f, 1, EVENT_GRO_RECEIVE, 0xa00, 0, 0);
	NS(120);
	for (int i = 0; i < 4; i++)
		leave(f, 1);
	poll_begins(f, 200);
	EVENT(EVENT_NET_RECEIVE, 0xa00);
	poll_ends(f, 200);
	NS(300);
	switch_to(f, 0, 8);
	EVENT(EVENT_SKB_CONSUME, 0xa00);
	NS(400);
}

/* A poll of packets for 8 and 9; one packet is never received. */
static void receive_shared_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	poll_begins(f, 200);
	receive_packet(f, 0xa00);
	receive_packet(f, 0xb00);
	receive_packet(f, 0xc00);
	receive_packet(f, 0xd00);
	poll_ends(f, 200);
	NS(300);
	switch_to(f, 0, 8);
	EVENT(EVENT_SKB_COPY, 0xa00);
	EVENT(EVENT_SKB_COPY, 0xb00);
	NS(350);
	switch_to(f, 0, 9);
	EVENT(EVENT_SKB_CONSUME, 0xc00);
	NS(400);
}

/* A poll of two packets for 8, which 8 reads one after the other. */
static void receive_two_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	poll_begins(f, 200);
	receive_packet(f, 0xa00);
	receive_packet(f, 0xb00);
	poll_ends(f, 200);
	NS(300);
	switch_to(f, 0, 8);
	EVENT(EVENT_SKB_COPY, 0xa00);
	NS(350);
	EVENT(EVENT_SKB_CONSUME, 0xb00);
	NS(400);
}

/* 8 and 9 share a socket: each reads a part of the packet. */
static void read_by_two_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	poll_begins(f, 200);
	receive_packet(f, 0xa00);
	poll_ends(f, 200);
	NS(300);
	switch_to(f, 0, 8);
	EVENT(EVENT_SKB_COPY, 0xa00);
	EVENT(EVENT_SKB_COPY, 0xa00);
	NS(350);
	switch_to(f, 0, 9);
	EVENT(EVENT_SKB_COPY, 0xa00);
	EVENT(EVENT_SKB_CONSUME, 0xa00);
	NS(400);
}

/* A packet for 8 of which another process, which is not known, gets a copy. */
static void packet_copied_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	poll_begins(f, 200);
	receive_packet(f, 0xa00);
	IN("tpacket_rcv");
	OUT;
	poll_ends(f, 200);
	NS(300);
	switch_to(f, 0, 8);
	EVENT(EVENT_SKB_CONSUME, 0xa00);
	NS(400);
}

/* A device's poll has not finished when the interrupt of another device
 * arrives: that one's poll comes before the rest of the first one's.
 */
static void unfinished_poll_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	poll_interrupt(f, 100);
	poll_begins(f, 200);
	receive_packet(f, 0xa00);
	NS(230);
	OUT;
	EVENT(EVENT_NAPI_POLL, 0, 64, 64);
	OUT;
	poll_interrupt(f, 240);
	EVENT(EVENT_SOFTIRQ_RAISE, NET_RX);
	NS(280);
	OUT;
	NS(290);
	OUT;
	poll_begins(f, 300);
	receive_packet(f, 0xb00);
	NS(360);
	OUT;
	OUT;
	IN("__napi_poll");
	IN("device_poll");
	receive_packet(f, 0xc00);
	poll_ends(f, 300);
	NS(400);
	switch_to(f, 0, 8);
	EVENT(EVENT_SKB_COPY, 0xa00);
	EVENT(EVENT_SKB_COPY, 0xc00);
	NS(450);
	switch_to(f, 0, 9);
	EVENT(EVENT_SKB_COPY, 0xb00);
	NS(500);
}

/* 8 polls a device itself; then three devices interrupt, two of them within the
 * round of the one before.
 */
static void polled_by_task_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	NS(50);
	EVENT(EVENT_NAPI_POLL, 0, 8, 8);
	switch_to(f, 0, 5);
	poll_interrupt(f, 100);
	for (uint64_t base = 200; base <= 400; base += 100) {
		poll_begins(f, base);
		receive_packet(f, (int64_t)base);
		NS(base + 30);
		OUT;
		OUT;
		if (base < 400)
			poll_interrupt(f, base + 40);
		NS(base + 80);
		OUT;
		NS(base + 90);
		OUT;
	}
	NS(500);
	for (int64_t address = 200; address <= 400; address += 100) {
		switch_to(f, 0, address == 400 ? 9 : 8);
		EVENT(EVENT_SKB_COPY, address);
	}
	NS(550);
}

/* A thread polls the device whose interrupt wakes it; another device's poll is
 * none of it.
 */
static void polled_by_thread_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100);
	IN("asm_common_interrupt");
	IN("__handle_irq_event_percpu");
	IN("net_handler");
	IN("__napi_schedule");
	EVENT(EVENT_SCHED_WAKING, 30);
	OUT;
	NS(130);
	OUT;
	OUT;
	OUT;
	NS(150);
	poll_begins(f, 200);
	receive_packet(f, 0xa00);
	poll_ends(f, 200);
	NS(300);
	switch_to(f, 0, 8);
	EVENT(EVENT_SKB_CONSUME, 0xa00);
	NS(400);
}

/* The network layer gets two packets before it processes the first, which it
 * answers itself; another is dropped before, and one arrives alone.
 */
static void receive_list_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	poll_begins(f, 200);
	for (int64_t address = 0xa00; address <= 0xc00; address += 0x100)
		EVENT(EVENT_GRO_RECEIVE, address);
	for (int64_t address = 0xa00; address <= 0xc00; address += 0x100)
		EVENT(EVENT_NET_RECEIVE, address);
	EVENT(EVENT_SKB_FREE, 0xa00);
	IN("arp_rcv");
	EVENT(EVENT_NET_QUEUE, 0xe00);
	EVENT(EVENT_NET_XMIT, 0xe00);
	EVENT(EVENT_SKB_CONSUME, 0xb00);
	OUT;
	IN("ip_local_deliver");
	OUT;
	receive_packet(f, 0xd00);
	poll_ends(f, 200);
	poll_begins(f, 300);
	EVENT(EVENT_SKB_CONSUME, 0xe00);
	poll_ends(f, 300);
	NS(400);
	switch_to(f, 0, 8);
	EVENT(EVENT_SKB_CONSUME, 0xc00);
	EVENT(EVENT_SKB_CONSUME, 0xd00);
	NS(450);
}

/* The packet's only trace is that it wakes 8. */
static void receive_woken_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	poll_begins(f, 200);
	receive_packet(f, 0xa00);
	EVENT(EVENT_SCHED_WAKING, 8);
	poll_ends(f, 200);
	NS(300);
}

/* 8 sends; in a poll on 5's time the device reports completion. */
static void sends_and_polls(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	NS(100);
	IN("entry_SYSCALL_64");
	EVENT(EVENT_NET_QUEUE, 0xa00);
	EVENT(EVENT_NET_XMIT, 0xa00);
	NS(150);
	OUT;
	switch_to(f, 0, 5);
	poll_begins(f, 200);
	EVENT(EVENT_SKB_CONSUME, 0xa00);
}

static void send_story(struct attribution_fixture *f)
{
	sends_and_polls(f);
	poll_ends(f, 200);
	NS(300);
}

/* The queue that 8 sent to was full, and is restarted. */
static void queue_story(struct attribution_fixture *f)
{
	sends_and_polls(f);
	EVENT(EVENT_SOFTIRQ_RAISE, NET_TX);
	poll_ends(f, 200);
	NS(300);
}

/* The poll that completes 8's send schedules another, which finds nothing. */
static void polled_again_story(struct attribution_fixture *f)
{
	sends_and_polls(f);
	IN("__napi_schedule");
	EVENT(EVENT_SOFTIRQ_RAISE, NET_RX);
	OUT;
	poll_ends(f, 200);
	poll_begins(f, 300);
	poll_ends(f, 300);
	NS(400);
}

/* Soft interrupts in ksoftirqd are its own time. */
static void ksoftirqd_story(struct attribution_fixture *f)
{
	starts(f, 0, 15);
	NS(90);
	IN("run_ksoftirqd");
	poll_begins(f, 200);
	receive_packet(f, 0xa00);
	poll_ends(f, 200);
	NS(300);
	switch_to(f, 0, 8);
	EVENT(EVENT_SKB_CONSUME, 0xa00);
	NS(400);
}

/* 8 drops a packet that it has not read, so it may not have been for 8. */
static void freed_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	poll_begins(f, 200);
	receive_packet(f, 0xa00);
	poll_ends(f, 200);
	switch_to(f, 0, 8);
	EVENT(EVENT_SKB_FREE, 0xa00);
	NS(400);
}

/* 6 and 7 flush the same disk at the same time: events do not show which flush
 * completes first, as neither has sectors.
 */
static void two_flushes_story(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	EVENT(EVENT_BIO_QUEUE, 8, 0, 0);
	switch_to(f, 0, 6);
	EVENT(EVENT_BIO_QUEUE, 8, 0, 0);
	NS(250);
	switch_to(f, 0, 5);
	NS(300);
	IN("asm_common_interrupt");
	EVENT(EVENT_REQUEST_COMPLETE, 8, 0, 0);
	NS(340);
	OUT;
	NS(400);
}

/* A task raises the same soft interrupt as an interrupt does: its work for 6
 * and 7 is only partly caused by the interrupt.
 */
static void raised_by_task_story(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	EVENT(EVENT_BIO_QUEUE, 8, 100, 8);
	switch_to(f, 0, 6);
	EVENT(EVENT_BIO_QUEUE, 8, 200, 8);
	EVENT(EVENT_SOFTIRQ_RAISE, BLOCK);
	NS(250);
	IN("asm_common_interrupt");
	EVENT(EVENT_SOFTIRQ_RAISE, BLOCK);
	block_softirq(f, true);
}

/* 8 uses socket 0x70, 9 uses socket 0x90. */
static void sockets_are_used(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	EVENT(EVENT_SOCKET_SENT, 0x70, 10);
	switch_to(f, 0, 9);
	EVENT(EVENT_SOCKET_TAKEN, 0x90, 10);
	switch_to(f, 0, 5);
}

/* An acknowledgement for 8's connection is freed without an event: its address
 * is used again.
 */
static void acknowledgement_story(struct attribution_fixture *f)
{
	sockets_are_used(f);
	poll_begins(f, 200);
	receive_packet(f, 0x1000);
	EVENT(EVENT_TCP_SEGMENT, 0x1000, 0x70);
	EVENT(EVENT_NET_QUEUE, 0x1000);
	poll_ends(f, 200);
	EVENT(EVENT_NAPI_POLL, 0x33, 1, 64);
	NS(400);
}

/* The queue 0x33 gets a packet at @address on 6's time. No event shows its socket. */
static void closed_poll(struct attribution_fixture *f, int64_t address)
{
	switch_to(f, 0, 6);
	poll_begins(f, 500);
	receive_packet(f, address);
}

static void closed_poll_ends(struct attribution_fixture *f, int64_t address)
{
	EVENT(EVENT_NET_QUEUE, address);
	poll_ends(f, 500);
	EVENT(EVENT_NAPI_POLL, 0x33, 1, 64);
	NS(700);
}

/* After the connection is closed no event shows the socket: the packet is from
 * the queue that had packets for 8. 9 sends last.
 */
static void closed_connection_story(struct attribution_fixture *f)
{
	acknowledgement_story(f);
	switch_to(f, 0, 9);
	EVENT(EVENT_NET_QUEUE, 0x5000);
	closed_poll(f, 0x2000);
	closed_poll_ends(f, 0x2000);
}

/* The first packets of 9's connection are merged in its socket's backlog: no event
 * shows their socket, and the address is used again. 8 sends.
 */
static void first_packets_story(struct attribution_fixture *f)
{
	sockets_are_used(f);
	switch_to(f, 0, 8);
	EVENT(EVENT_NET_QUEUE, 0x5000);
	closed_poll(f, 0x2000);
	closed_poll_ends(f, 0x2000);
	switch_to(f, 0, 7);
	poll_begins(f, 800);
	receive_packet(f, 0x1000);
	EVENT(EVENT_TCP_SEGMENT, 0x1000, 0x90);
	poll_ends(f, 800);
	EVENT(EVENT_NAPI_POLL, 0x33, 1, 64);
	NS(900);
}

/* No connection has packets from the queue. */
static void datagrams_only_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	EVENT(EVENT_NET_QUEUE, 0x5000);
	closed_poll(f, 0x2000);
	closed_poll_ends(f, 0x2000);
	switch_to(f, 0, 9);
	EVENT(EVENT_NET_QUEUE, 0x6000);
}

/* CPU 1 polls the queue 0x44, which receives a packet for 9 at 0xa00. */
static void other_poll_begins(struct attribution_fixture *f)
{
	starts(f, 1, 7);
	enter(f, 1, "handle_softirqs");
	enter(f, 1, "net_rx_action");
	enter(f, 1, "__napi_poll");
	enter(f, 1, "device_poll");
	event(f, 1, EVENT_GRO_RECEIVE, 0xa00, 0, 0);
	event(f, 1, EVENT_NET_RECEIVE, 0xa00, 0, 0);
}

/* 9 processes a packet of its connection before the poll that got it on CPU 1
 * ends.
 */
static void processed_in_other_poll_story(struct attribution_fixture *f)
{
	acknowledgement_story(f);
	other_poll_begins(f);
	switch_to(f, 0, 9);
	EVENT(EVENT_TCP_SEGMENT, 0xa00, 0x90);
	closed_poll(f, 0x2000);
	closed_poll_ends(f, 0x2000);
}

/* The packet that CPU 1 got is freed without an event, and its address is that of
 * CPU 0's packet when the poll of CPU 1 ends.
 */
static void reused_in_other_poll_story(struct attribution_fixture *f)
{
	acknowledgement_story(f);
	other_poll_begins(f);
	event(f, 1, EVENT_TCP_SEGMENT, 0xa00, 0x90, 0);
	closed_poll(f, 0xa00);
	event(f, 1, EVENT_NAPI_POLL, 0x44, 1, 64);
	closed_poll_ends(f, 0xa00);
}

/* Three of four packets are merged into the first; they have one address. The
 * next poll frees the packets that 8 has sent.
 */
static void merged_at_one_address_story(struct attribution_fixture *f)
{
	sockets_are_used(f);
	poll_begins(f, 200);
	EVENT(EVENT_GRO_RECEIVE, 0x1000);
	EVENT(EVENT_GRO_RECEIVE, 0x2000);
	EVENT(EVENT_GRO_RECEIVE, 0x2000);
	EVENT(EVENT_GRO_RECEIVE, 0x2000);
	EVENT(EVENT_NET_RECEIVE, 0x1000);
	EVENT(EVENT_TCP_SEGMENT, 0x1000, 0x90);
	poll_ends(f, 200);
	EVENT(EVENT_NAPI_POLL, 0x33, 4, 64);
	NS(400);
}

/* A device delivers data for 9 at the address of an acknowledgement for 8: the
 * data is merged into other data, and 9 frees it.
 */
static void reused_by_device_story(struct attribution_fixture *f)
{
	sockets_are_used(f);
	poll_begins(f, 200);
	receive_packet(f, 0x1000);
	EVENT(EVENT_TCP_SEGMENT, 0x1000, 0x70);
	poll_ends(f, 200);
	NS(300);
	EVENT(EVENT_GRO_RECEIVE, 0x1000);
	switch_to(f, 0, 9);
	EVENT(EVENT_SKB_CONSUME, 0x1000);
	NS(400);
}

/* An acknowledgement without data, whose address 9 then uses for a message. */
static void reused_by_task_story(struct attribution_fixture *f)
{
	sockets_are_used(f);
	EVENT(EVENT_SOCKET_READY, 0x90);
	poll_begins(f, 200);
	receive_packet(f, 0x1000);
	EVENT(EVENT_TCP_SEGMENT, 0x1000, 0x70);
	poll_ends(f, 200);
	NS(300);
	switch_to(f, 0, 9);
	EVENT(EVENT_SKB_COPY, 0x1000);
	EVENT(EVENT_SKB_CONSUME, 0x1000);
	NS(400);
}

/* As reused_by_task_story(), but nothing shows the acknowledgement's socket. */
static void reused_after_close_story(struct attribution_fixture *f)
{
	sockets_are_used(f);
	EVENT(EVENT_SOCKET_READY, 0x90);
	poll_begins(f, 200);
	receive_packet(f, 0x1000);
	poll_ends(f, 200);
	NS(300);
	switch_to(f, 0, 9);
	EVENT(EVENT_SKB_COPY, 0x1000);
	NS(400);
}

/* 8 processes data that came while it used the socket, and reads it. */
static void socket_backlog_story(struct attribution_fixture *f)
{
	sockets_are_used(f);
	EVENT(EVENT_SOCKET_READY, 0x90);
	poll_begins(f, 200);
	receive_packet(f, 0x1000);
	poll_ends(f, 200);
	NS(300);
	switch_to(f, 0, 8);
	EVENT(EVENT_TCP_SEGMENT, 0x1000, 0x70);
	EVENT(EVENT_SOCKET_READY, 0x70);
	EVENT(EVENT_SKB_COPY, 0x1000);
	NS(400);
}

/* 8's packet is cut into two before the device gets it; it frees them on 5's
 * time.
 */
static void cut_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	NS(10);
	EVENT(EVENT_NET_QUEUE, 0x1000);
	EVENT(EVENT_SKB_CONSUME, 0x1000);
	EVENT(EVENT_NET_XMIT, 0x2000);
	EVENT(EVENT_NET_XMIT, 0x3000);
	switch_to(f, 0, 5);
	poll_begins(f, 200);
	EVENT(EVENT_SKB_CONSUME, 0x2000);
	EVENT(EVENT_SKB_CONSUME, 0x3000);
	poll_ends(f, 200);
	NS(400);
}

/* A device has sent a packet of 8, whose connection then sends more, and after
 * it one of 9. The tick interrupts between the end of 8's packet and its effect.
 */
static void sends_more_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	NS(10);
	EVENT(EVENT_NET_QUEUE, 0x1000);
	EVENT(EVENT_NET_XMIT, 0x1000);
	switch_to(f, 0, 9);
	EVENT(EVENT_NET_QUEUE, 0x2000);
	EVENT(EVENT_NET_XMIT, 0x2000);
	switch_to(f, 0, 5);
	EVENT(EVENT_SKB_CONSUME, 0x1000);
	IN("asm_sysvec_apic_timer_interrupt");
	EVENT(EVENT_HRTIMER_START, 0x700, address_of("tick_nohz_handler"));
	OUT;
	EVENT(EVENT_SOFTIRQ_RAISE, TASKLET);
	EVENT(EVENT_SKB_CONSUME, 0x2000);
	EVENT(EVENT_SOFTIRQ_RAISE, NET_RX);
	NS(200);
	IN("handle_softirqs");
	IN("tasklet_action");
	EVENT(EVENT_TASKLET_ENTRY, address_of("tcp_tasklet_func"));
	IN("tcp_tasklet_func");
	NS(240);
	OUT;
	OUT;
	OUT;
	NS(400);
}

/* Interrupt 9, which takes 20 and schedules a poll unless there is one. */
static void numbered_interrupt(struct attribution_fixture *f, uint64_t base,
			       bool schedules)
{
	NS(base);
	IN("asm_common_interrupt");
	IN("__handle_irq_event_percpu");
	EVENT(EVENT_IRQ_ENTRY, 9);
	IN("net_handler");
	if (schedules) {
		IN("__napi_schedule");
		EVENT(EVENT_SOFTIRQ_RAISE, NET_RX);
		OUT;
	}
	NS(base + 20);
	OUT;
	OUT;
	OUT;
}

/* The device of 8's packets has freed one in a poll; the driver frees the next
 * one as 9 sends on another device, so that the poll for it finds nothing, nor
 * does an interrupt while that poll is scheduled. No packet of queue 0x44 is
 * known.
 */
static void idle_polls_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	NS(10);
	for (int64_t address = 0x1000; address <= 0x2000; address += 0x1000) {
		EVENT(EVENT_NET_QUEUE, address);
		EVENT(EVENT_NET_XMIT, address);
	}
	switch_to(f, 0, 5);
	poll_begins(f, 200);
	EVENT(EVENT_SKB_CONSUME, 0x1000);
	poll_ends(f, 200);
	EVENT(EVENT_NAPI_POLL, 0x33, 0, 64);
	switch_to(f, 0, 9);
	EVENT(EVENT_SKB_CONSUME, 0x2000);
	switch_to(f, 0, 6);
	numbered_interrupt(f, 300, true);
	numbered_interrupt(f, 350, false);
	poll_begins(f, 400);
	poll_ends(f, 400);
	EVENT(EVENT_NAPI_POLL, 0x33, 0, 64);
	switch_to(f, 0, 7);
	poll_begins(f, 500);
	poll_ends(f, 500);
	EVENT(EVENT_NAPI_POLL, 0x44, 0, 64);
	NS(700);
}

/* 8 starts a connection to 9, which it uses only after the address of its first
 * packet is used again. Then 7 sends last.
 */
static void handshake_story(struct attribution_fixture *f)
{
	const int64_t listen = 10, received = 3, established = 1;

	sockets_are_used(f);
	EVENT(EVENT_SOCKET_READY, 0x90);
	NS(150);
	poll_begins(f, 200);
	receive_packet(f, 0x1000);
	IN("tcp_conn_request");
	OUT;
	EVENT(EVENT_SOCKET_STATE, 0x70, 0, listen, received);
	EVENT(EVENT_SOCKET_STATE, 0x70, 0, received, established);
	poll_ends(f, 200);
	EVENT(EVENT_NET_QUEUE, 0x1000);
	switch_to(f, 0, 9);
	EVENT(EVENT_SOCKET_TAKEN, 0x70, 10);
	switch_to(f, 0, 7);
	EVENT(EVENT_NET_QUEUE, 0x5000);
	NS(400);
}

/* A packet of 8 to this machine itself, without a known reader. */
static void own_machine_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	EVENT(EVENT_NET_QUEUE, 0x1000);
	EVENT(EVENT_NET_XMIT, 0x1000);
	EVENT(EVENT_NET_RX, 0x1000);
	switch_to(f, 0, 5);
	poll_begins(f, 200);
	EVENT(EVENT_NET_RECEIVE, 0x1000);
	poll_ends(f, 200);
	NS(400);
}

static void send_here(struct attribution_fixture *f, int64_t address)
{
	EVENT(EVENT_NET_QUEUE, address);
	EVENT(EVENT_NET_XMIT, address);
	EVENT(EVENT_NET_RX, address);
}

/* A poll on the time of @tid of a packet, which socket @socket processes; 0: no
 * event shows the socket. The address is then used again.
 */
static void polls_backlog(struct attribution_fixture *f, int32_t tid,
			  int64_t address, int64_t socket)
{
	switch_to(f, 0, tid);
	poll_begins(f, 500);
	EVENT(EVENT_NET_RECEIVE, address);
	if (socket)
		EVENT(EVENT_TCP_SEGMENT, address, socket);
	else
		send_here(f, 0x5000);
	poll_ends(f, 500);
	EVENT(EVENT_NAPI_POLL, 0x33, 1, 64);
	EVENT(EVENT_GRO_RECEIVE, address);
	NS(700);
}

/* 8 and 9 have a connection in this machine. Nothing shows the socket of the
 * second packet that 9 sends, on 6, nor that of the answer to it, on 7: the
 * first is for 8, and so the answer is for 9.
 */
static void own_connection_story(struct attribution_fixture *f)
{
	sockets_are_used(f);
	switch_to(f, 0, 8);
	send_here(f, 0x1000);
	polls_backlog(f, 4, 0x1000, 0x90);
	switch_to(f, 0, 9);
	send_here(f, 0x2000);
	polls_backlog(f, 4, 0x2000, 0x70);
	switch_to(f, 0, 9);
	send_here(f, 0x3000);
	polls_backlog(f, 6, 0x3000, 0);
	switch_to(f, 0, 7);
	poll_begins(f, 900);
	EVENT(EVENT_NET_RECEIVE, 0x5000);
	poll_ends(f, 900);
	EVENT(EVENT_NAPI_POLL, 0x33, 1, 64);
	NS(1200);
}

/* The rows of one poll. */
#define BESIDE_OTHER_POLL \
	"device_poll on 5 for 8 x1.00: 40=0+40+0\n" \
	"device_poll on 6 for 8 x1.00: 40=0+40+0\n" \
	"device_poll on 7 for 9 x1.00: 300=0+300+0\n" \
	"handle_softirqs on 5 for 8 x1.00: 20=0+20+0\n" \
	"handle_softirqs on 6 for 8 x1.00: 20=0+20+0\n" \
	"handle_softirqs on 7 for 9 x1.00: 0=0+0+0\n" \
	"net_rx_action on 5 for 8 x1.00: 20=0+20+0\n" \
	"net_rx_action on 6 for 8 x1.00: 20=0+20+0\n" \
	"net_rx_action on 7 for 9 x1.00: 0=0+0+0\n"

#define INFERRED_POLL(on, whom) \
	"device_poll on " on " for " whom " x1.00: 40=0+40+0\n" \
	"handle_softirqs on " on " for " whom " x1.00: 20=0+20+0\n" \
	"net_rx_action on " on " for " whom " x1.00: 20=0+20+0\n"

static const struct interrupt_story stories[] = {
	{ acknowledgement_story, INFERRED_POLL("5", "8") },
	{ closed_connection_story,
	  "device_poll on 5 for 8 x1.00: 40=0+40+0\n"
	  "device_poll on 6 for 8 x1.00: 40=0+40+0\n"
	  "handle_softirqs on 5 for 8 x1.00: 20=0+20+0\n"
	  "handle_softirqs on 6 for 8 x1.00: 20=0+20+0\n"
	  "net_rx_action on 5 for 8 x1.00: 20=0+20+0\n"
	  "net_rx_action on 6 for 8 x1.00: 20=0+20+0\n" },
	{ first_packets_story, "device_poll on 6 for 9 x1.00: 40=0+40+0\n"
			       "device_poll on 7 for 9 x1.00: 40=0+40+0\n"
			       "handle_softirqs on 6 for 9 x1.00: 20=0+20+0\n"
			       "handle_softirqs on 7 for 9 x1.00: 20=0+20+0\n"
			       "net_rx_action on 6 for 9 x1.00: 20=0+20+0\n"
			       "net_rx_action on 7 for 9 x1.00: 20=0+20+0\n" },
	{ datagrams_only_story, INFERRED_POLL("6", "8") },
	{ processed_in_other_poll_story, BESIDE_OTHER_POLL },
	{ reused_in_other_poll_story, BESIDE_OTHER_POLL },
	{ merged_at_one_address_story, INFERRED_POLL("5", "9") },
	{ reused_by_device_story, INFERRED_POLL("5", "8") },
	{ reused_by_task_story, INFERRED_POLL("5", "8") },
	{ reused_after_close_story,
	  "device_poll on 5 for -1 x1.00: 40=0+0+40\n"
	  "handle_softirqs on 5 for -1 x1.00: 20=0+0+20\n"
	  "net_rx_action on 5 for -1 x1.00: 20=0+0+20\n" },
	{ socket_backlog_story, "device_poll on 5 for 8 x1.00: 40=40+0+0\n"
				"handle_softirqs on 5 for 8 x1.00: 20=20+0+0\n"
				"net_rx_action on 5 for 8 x1.00: 20=20+0+0\n" },
	{ cut_story, INFERRED_POLL("5", "8") },
	{ handshake_story, INFERRED_POLL("5", "9") },
	{ own_machine_story, INFERRED_POLL("5", "8") },
	{ own_connection_story, "device_poll on 4 for 8 x1.00: 40=0+40+0\n"
				"device_poll on 4 for 9 x1.00: 40=0+40+0\n"
				"device_poll on 6 for 8 x0.50: 20=0+20+0\n"
				"device_poll on 6 for 9 x0.50: 20=0+20+0\n"
				"device_poll on 7 for 9 x1.00: 40=0+40+0\n"
				"handle_softirqs on 4 for 8 x1.00: 20=0+20+0\n"
				"handle_softirqs on 4 for 9 x1.00: 20=0+20+0\n"
				"handle_softirqs on 6 for 8 x0.50: 10=0+10+0\n"
				"handle_softirqs on 6 for 9 x0.50: 10=0+10+0\n"
				"handle_softirqs on 7 for 9 x1.00: 20=0+20+0\n"
				"net_rx_action on 4 for 8 x1.00: 20=0+20+0\n"
				"net_rx_action on 4 for 9 x1.00: 20=0+20+0\n"
				"net_rx_action on 6 for 8 x0.50: 10=0+10+0\n"
				"net_rx_action on 6 for 9 x0.50: 10=0+10+0\n"
				"net_rx_action on 7 for 9 x1.00: 20=0+20+0\n" },
	{ sends_more_story,
	  "asm_sysvec_apic_timer_interrupt on 5 for -1 x1.00: 0=0+0+0\n"
	  "handle_softirqs on 5 for 8 x1.00: 0=0+0+0\n"
	  "tasklet_action on 5 for 8 x1.00: 0=0+0+0\n"
	  "tcp_tasklet_func on 5 for 8 x1.00: 40=0+40+0\n" },
	{ idle_polls_story, "device_poll on 5 for 8 x1.00: 40=40+0+0\n"
			    "device_poll on 6 for 8 x1.00: 40=0+40+0\n"
			    "device_poll on 7 for -1 x1.00: 40=0+0+40\n"
			    "handle_softirqs on 5 for 8 x1.00: 20=20+0+0\n"
			    "handle_softirqs on 6 for 8 x1.00: 20=0+20+0\n"
			    "handle_softirqs on 7 for -1 x1.00: 20=0+0+20\n"
			    "net_handler on 6 for 8 x2.00: 40=0+40+0\n"
			    "net_rx_action on 5 for 8 x1.00: 20=20+0+0\n"
			    "net_rx_action on 6 for 8 x1.00: 20=0+20+0\n"
			    "net_rx_action on 7 for -1 x1.00: 20=0+0+20\n" },
	{ freed_story, "device_poll on 5 for 8 x1.00: 40=0+40+0\n"
		       "handle_softirqs on 5 for 8 x1.00: 20=0+20+0\n"
		       "net_rx_action on 5 for 8 x1.00: 20=0+20+0\n" },
	{ two_flushes_story,
	  "asm_common_interrupt on 5 for 6 x0.50: 20=0+20+0\n"
	  "asm_common_interrupt on 5 for 7 x0.50: 20=0+20+0\n" },
	{ raised_by_task_story,
	  "asm_common_interrupt on 6 for 6 x0.50: 70=0+70+0\n"
	  "asm_common_interrupt on 6 for 7 x0.50: 70=0+70+0\n"
	  "blk_done_softirq on 6 for 6 x0.50: 20=0+20+0\n"
	  "blk_done_softirq on 6 for 7 x0.50: 20=0+20+0\n"
	  "handle_softirqs on 6 for 6 x0.50: 0=0+0+0\n"
	  "handle_softirqs on 6 for 7 x0.50: 0=0+0+0\n" },
	/* How much of the work for a merged request was for each of its makers,
	 * no event proves.
	 */
	{ disk_read_story, "disk_handler on 5 for 7 x1.00: 50=50+0+0\n" },
	{ flush_story, "asm_common_interrupt on 5 for 6 x0.50: 20=0+20+0\n"
		       "asm_common_interrupt on 5 for 7 x0.50: 20=0+20+0\n" },
	{ steered_story, "device_poll on 5 for 8 x1.00: 40=40+0+0\n"
			 "device_poll on 6 for 8 x1.00: 20=0+20+0\n"
			 "handle_softirqs on 5 for 8 x1.00: 20=20+0+0\n"
			 "handle_softirqs on 6 for 8 x1.00: 0=0+0+0\n"
			 "net_rx_action on 5 for 8 x1.00: 20=20+0+0\n"
			 "net_rx_action on 6 for 8 x1.00: 0=0+0+0\n" },
	{ mapped_disk_story, "disk_handler on 5 for 7 x1.00: 50=50+0+0\n" },
	{ split_disk_story,
	  "asm_common_interrupt on 5 for 7 x2.00: 80=80+0+0\n" },
	{ merged_disk_story, "disk_handler on 5 for 6 x0.25: 12=0+12+0\n"
			     "disk_handler on 5 for 7 x0.75: 38=0+38+0\n" },
	{ done_softirq_story,
	  "asm_common_interrupt on 5 for 7 x1.00: 40=40+0+0\n"
	  "blk_done_softirq on 5 for 7 x1.00: 30=30+0+0\n"
	  "handle_softirqs on 5 for 7 x1.00: 20=20+0+0\n" },
	{ done_while_raised_story,
	  /* Which interrupt was for which thread is unknown: half of each. */
	  "asm_common_interrupt on 5 for 6 x1.00: 40=0+40+0\n"
	  "asm_common_interrupt on 5 for 7 x1.00: 40=0+40+0\n"
	  "blk_done_softirq on 5 for 6 x0.50: 20=0+20+0\n"
	  "blk_done_softirq on 5 for 7 x0.50: 20=0+20+0\n"
	  "handle_softirqs on 5 for 6 x0.50: 0=0+0+0\n"
	  "handle_softirqs on 5 for 7 x0.50: 0=0+0+0\n" },
	{ mirror_story, "asm_common_interrupt on 5 for -1 x1.00: 40=0+0+40\n"
			"asm_common_interrupt on 5 for 6 x1.00: 40=40+0+0\n"
			"asm_common_interrupt on 5 for 7 x1.00: 40=40+0+0\n" },
	{ partition_story,
	  "asm_common_interrupt on 5 for 7 x1.00: 40=40+0+0\n" },
	{ done_at_once_story,
	  "asm_common_interrupt on 5 for 6 x1.00: 40=40+0+0\n"
	  "asm_common_interrupt on 5 for 7 x1.00: 40=40+0+0\n"
	  "blk_done_softirq on 5 for 7 x1.00: 40=40+0+0\n"
	  "handle_softirqs on 5 for 7 x1.00: 0=0+0+0\n" },
	{ done_elsewhere_story,
	  "asm_common_interrupt on 5 for -1 x1.00: 40=0+0+40\n"
	  "asm_common_interrupt on 5 for 7 x1.00: 40=40+0+0\n"
	  "blk_done_softirq on 5 for 7 x1.00: 40=40+0+0\n"
	  "handle_softirqs on 5 for 7 x1.00: 0=0+0+0\n" },
	{ receive_list_story, "device_poll on 5 for -1 x1.50: 60=0+0+60\n"
			      "device_poll on 5 for 8 x0.50: 20=0+20+0\n"
			      "handle_softirqs on 5 for -1 x1.50: 30=0+0+30\n"
			      "handle_softirqs on 5 for 8 x0.50: 10=0+10+0\n"
			      "net_rx_action on 5 for -1 x1.50: 30=0+0+30\n"
			      "net_rx_action on 5 for 8 x0.50: 10=0+10+0\n" },
	{ receive_story, "device_poll on 5 for 8 x1.00: 40=40+0+0\n"
			 "handle_softirqs on 5 for 8 x1.00: 20=20+0+0\n"
			 "net_handler on 5 for 8 x1.00: 30=30+0+0\n"
			 "net_rx_action on 5 for 8 x1.00: 20=20+0+0\n" },
	{ receive_two_story, "device_poll on 5 for 8 x1.00: 40=40+0+0\n"
			     "handle_softirqs on 5 for 8 x1.00: 20=20+0+0\n"
			     "net_rx_action on 5 for 8 x1.00: 20=20+0+0\n" },
	{ read_by_two_story, "device_poll on 5 for 8 x0.50: 20=0+20+0\n"
			     "device_poll on 5 for 9 x0.50: 20=0+20+0\n"
			     "handle_softirqs on 5 for 8 x0.50: 10=0+10+0\n"
			     "handle_softirqs on 5 for 9 x0.50: 10=0+10+0\n"
			     "net_rx_action on 5 for 8 x0.50: 10=0+10+0\n"
			     "net_rx_action on 5 for 9 x0.50: 10=0+10+0\n" },
	{ packet_copied_story, "device_poll on 5 for 8 x1.00: 40=0+40+0\n"
			       "handle_softirqs on 5 for 8 x1.00: 20=0+20+0\n"
			       "net_rx_action on 5 for 8 x1.00: 20=0+20+0\n" },
	{ unfinished_poll_story,
	  "device_poll on 5 for 8 x2.00: 10=10+0+0\n"
	  "device_poll on 5 for 9 x1.00: 40=40+0+0\n"
	  "handle_softirqs on 5 for 8 x1.00: 20=20+0+0\n"
	  "handle_softirqs on 5 for 9 x1.00: 20=20+0+0\n"
	  "net_handler on 5 for 8 x1.00: 30=30+0+0\n"
	  "net_handler on 5 for 9 x1.00: 30=30+0+0\n"
	  "net_rx_action on 5 for 8 x1.00: 30=30+0+0\n"
	  "net_rx_action on 5 for 9 x1.00: 20=20+0+0\n" },
	{ polled_by_task_story, "device_poll on 5 for 8 x2.00: 20=20+0+0\n"
				"device_poll on 5 for 9 x1.00: 10=10+0+0\n"
				"handle_softirqs on 5 for 8 x2.00: 40=40+0+0\n"
				"handle_softirqs on 5 for 9 x1.00: 20=20+0+0\n"
				"net_handler on 5 for 8 x2.00: 60=60+0+0\n"
				"net_handler on 5 for 9 x1.00: 30=30+0+0\n"
				"net_rx_action on 5 for 8 x2.00: 60=60+0+0\n"
				"net_rx_action on 5 for 9 x1.00: 60=60+0+0\n" },
	{ polled_by_thread_story,
	  "device_poll on 5 for 8 x1.00: 40=40+0+0\n"
	  "handle_softirqs on 5 for 8 x1.00: 20=20+0+0\n"
	  "net_handler on 5 for -1 x1.00: 30=0+0+30\n"
	  "net_rx_action on 5 for 8 x1.00: 20=20+0+0\n" },
	/* No event proves how much of a poll was for each of its packets. */
	{ receive_shared_story, "device_poll on 5 for -1 x0.25: 10=0+0+10\n"
				"device_poll on 5 for 8 x0.50: 20=0+20+0\n"
				"device_poll on 5 for 9 x0.25: 10=0+10+0\n"
				"handle_softirqs on 5 for -1 x0.25: 5=0+0+5\n"
				"handle_softirqs on 5 for 8 x0.50: 10=0+10+0\n"
				"handle_softirqs on 5 for 9 x0.25: 5=0+5+0\n"
				"net_rx_action on 5 for -1 x0.25: 5=0+0+5\n"
				"net_rx_action on 5 for 8 x0.50: 10=0+10+0\n"
				"net_rx_action on 5 for 9 x0.25: 5=0+5+0\n" },
	{ receive_woken_story, "device_poll on 5 for 8 x1.00: 40=0+40+0\n"
			       "handle_softirqs on 5 for 8 x1.00: 20=0+20+0\n"
			       "net_rx_action on 5 for 8 x1.00: 20=0+20+0\n" },
	{ send_story, "device_poll on 5 for 8 x1.00: 40=40+0+0\n"
		      "handle_softirqs on 5 for 8 x1.00: 20=20+0+0\n"
		      "net_rx_action on 5 for 8 x1.00: 20=20+0+0\n" },
	{ queue_story, "device_poll on 5 for 8 x1.00: 40=40+0+0\n"
		       "handle_softirqs on 5 for 8 x1.00: 20=20+0+0\n"
		       "net_rx_action on 5 for 8 x1.00: 20=20+0+0\n" },
	{ polled_again_story, "device_poll on 5 for -1 x1.00: 40=0+0+40\n"
			      "device_poll on 5 for 8 x1.00: 40=40+0+0\n"
			      "handle_softirqs on 5 for -1 x1.00: 20=0+0+20\n"
			      "handle_softirqs on 5 for 8 x1.00: 20=20+0+0\n"
			      "net_rx_action on 5 for -1 x1.00: 20=0+0+20\n"
			      "net_rx_action on 5 for 8 x1.00: 20=20+0+0\n" },
	{ ksoftirqd_story, "device_poll thread 15 for 8 x1.00: 40=40+0+0\n"
			   "handle_softirqs thread 15 for 8 x1.00: 20=20+0+0\n"
			   "net_rx_action thread 15 for 8 x1.00: 20=20+0+0\n" },
};

START_TEST(threads_and_processes_add_up)
{
	struct interrupt_scene scene = interrupt_scene_begin();
	struct interrupt_sums sums = INTERRUPT_SUMS_NONE;
	struct interrupt_shares shares;
	struct interrupt_credit credit;

	interrupt_scene_watch(&scene);
	receive_story(scene.fixture);
	interrupt_scene_finish(&scene);
	ck_assert_int_eq(interrupt_sums_add(&sums, scene.accounts), 0);
	shares = interrupt_sums_thread(&sums, 5);
	ck_assert_uint_eq(shares.own_ns, 0);
	ck_assert_uint_eq(shares.stolen_ns, 110);
	credit = interrupt_sums_process(&sums, 8);
	ck_assert_uint_eq(credit.interrupt_ns, 110);
	ck_assert_uint_eq(credit.work_ns, 0);
	interrupt_sums_free(&sums);
	interrupt_scene_end(&scene);
}
END_TEST

START_TEST(threads_of_a_process_help_each_other)
{
	struct interrupt_scene scene = interrupt_scene_begin();
	struct interrupt_sums sums = INTERRUPT_SUMS_NONE;
	struct interrupt_shares shares;

	belongs(scene.fixture, 5, 8);
	interrupt_scene_watch(&scene);
	receive_story(scene.fixture);
	interrupt_scene_finish(&scene);
	ck_assert_int_eq(interrupt_sums_add(&sums, scene.accounts), 0);
	shares = interrupt_sums_thread(&sums, 5);
	ck_assert_uint_eq(shares.own_ns, 110);
	ck_assert_uint_eq(shares.stolen_ns, 0);
	ck_assert_uint_eq(interrupt_sums_process(&sums, 8).interrupt_ns, 0);
	interrupt_sums_free(&sums);
	interrupt_scene_end(&scene);
}
END_TEST

SUITE("interrupt_devices")
{
	interrupt_stories(suite, stories, sizeof(stories) / sizeof(*stories));
	TEST(threads_and_processes_add_up);
	TEST(threads_of_a_process_help_each_other);
}
