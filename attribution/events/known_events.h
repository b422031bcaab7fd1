/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_EVENTS_KNOWN_EVENTS_H
#define KT_ATTRIBUTION_EVENTS_KNOWN_EVENTS_H

/* The kernel's events by name and their fields by number: hides the layouts of
 * tracepoints, which differ from kernel to kernel, from attribution.
 *
 *	struct recording_event ─► known_events_find() ─► struct known_layout
 *
 * known_events_new() looks up the names and the offsets of all fields once;
 * step_join.c then reads a record with one copy for each field.
 *
 * 1. The table is constant after known_events_new(): threads may share it.
 * 2. A field that the kernel does not have is 0.
 * 3. Where a recording has perf's own switch records, sched_switch is not read,
 *    so that no switch counts twice.
 */

#include "decoder/recording/tracepoint.h"

#include <stdbool.h>
#include <stdint.h>

struct number_map;
struct recording;
struct recording_event;
struct sideband_record;

/* The kernel's tracepoints that attribution understands.  Their fields are
 * described in include/trace/events/ of Linux.
 */
enum known_event {
	EVENT_SCHED_SWITCH,
	EVENT_SCHED_WAKING,
	EVENT_SCHED_WAKEUP_NEW,
	EVENT_IRQ_ENTRY,
	EVENT_SOFTIRQ_RAISE,
	EVENT_TASKLET_ENTRY,
	EVENT_SYS_ENTER,
	EVENT_SYS_EXIT,
	EVENT_PAGE_FAULT_USER,
	EVENT_NET_RECEIVE, /* netif_receive_skb */
	EVENT_NET_RX,	   /* netif_rx: queued to the CPU's backlog */
	EVENT_GRO_RECEIVE, /* napi_gro_receive_entry */
	EVENT_NAPI_POLL,
	EVENT_NET_QUEUE,   /* net_dev_queue */
	EVENT_NET_XMIT,	   /* net_dev_start_xmit */
	EVENT_SKB_COPY,	   /* skb_copy_datagram_iovec: copied to the receiver */
	EVENT_TCP_SEGMENT, /* tcp_probe: a connection processes a packet */
	EVENT_SKB_CONSUME,
	EVENT_SKB_FREE,
	EVENT_SOCKET_READY, /* sk_data_ready */
	EVENT_SOCKET_SENT,  /* sock_send_length: number of bytes, or an error */
	EVENT_SOCKET_TAKEN, /* sock_recv_length: number of bytes, or an error */
	EVENT_SOCKET_STATE, /* inet_sock_set_state: of a connection */
	EVENT_LOCK_BEGIN,   /* contention_begin: a task waits for a lock */
	EVENT_LOCK_END,
	EVENT_FILE_FLOCK, /* flock_lock_inode: flock(2) got a lock, or waits */
	EVENT_FILE_POSIX, /* posix_lock_inode: fcntl(2) got a lock, or waits */
	EVENT_BIO_QUEUE,
	EVENT_BIO_REMAP, /* redirected to another device */
	EVENT_BIO_COMPLETE,
	EVENT_REQUEST_ISSUE, /* sent to the device */
	EVENT_REQUEST_COMPLETE,
	EVENT_WORK_QUEUE,
	EVENT_WORK_BEGIN,
	EVENT_TIMER_START,
	EVENT_TIMER_CANCEL,
	EVENT_TIMER_EXPIRE,
	EVENT_HRTIMER_START,
	EVENT_HRTIMER_CANCEL,
	EVENT_HRTIMER_EXPIRE,
	EVENT_CGROUP_MOVE,    /* a thread moves to another cgroup */
	EVENT_CPU_IDLE,	      /* a CPU goes idle, or returns */
	EVENT_KSWAPD_WAKE,    /* mm_vmscan_kswapd_wake: kswapd starts to work */
	EVENT_CALL_ARGUMENTS, /* of record --args: a chosen function starts */
	EVENT_CALL_RESULT,    /* of record --args: a chosen function returns */
	/* data of a system call, by record --syscall-data; see
	 * common/formats/call_data.h
	 */
	EVENT_SYS_DATA,
	KNOWN_EVENTS,
};

enum { EVENT_MAX_FIELDS = 10 };

/* Index of each field in values[] of an event's record; absent fields are 0. */
enum event_field {
	SWITCH_PREV = 0,       /* tid */
	SWITCH_PREV_STATE = 1, /* 0: the task was still runnable */
	SWITCH_NEXT = 2,
	WAKING_TID = 0,
	WAKING_PRIORITY = 1, /* the lower, the sooner it runs */
	IRQ_NUMBER = 0,
	SOFTIRQ_VECTOR = 0, /* enum softirq_vector */
	TASKLET_FUNCTION = 0,
	SYSTEM_CALL_NUMBER = 0,
	SYSTEM_CALL_RESULT = 1,	  /* EVENT_SYS_EXIT */
	SYSTEM_CALL_ARGUMENT = 1, /* EVENT_SYS_ENTER: the first argument */
	FAULT_ADDRESS = 0,
	FAULT_IP = 1,
	SKB_ADDRESS = 0,
	SKB_SOCKET = 1, /* EVENT_TCP_SEGMENT; since Linux 6.11 EVENT_SKB_FREE */
	NAPI_ADDRESS = 0,
	NAPI_WORK = 1,
	NAPI_BUDGET = 2,
	SOCKET_ADDRESS = 0,
	SOCKET_BYTES = 1,
	/* EVENT_SOCKET_STATE, as are the following fields */
	SOCKET_PROTOCOL = 1,
	SOCKET_OLD_STATE = 2,
	SOCKET_NEW_STATE = 3,
	SOCKET_LOCAL_PORT = 4,
	SOCKET_REMOTE_PORT = 5,
	/* the address, two values in the byte order of memory; an IPv4 address
	 * is mapped to IPv6: ::ffff:a.b.c.d
	 */
	SOCKET_LOCAL = 6,
	SOCKET_REMOTE = 8, /* in the format of SOCKET_LOCAL */
	LOCK_ADDRESS = 0,
	LOCK_FLAGS = 1, /* EVENT_LOCK_BEGIN */
	FILE_INODE = 0,
	/* in the kernel's encoding: 12 bits of major, 20 bits of minor number
	 */
	FILE_DEVICE = 1,
	/* 0; FILE_LOCK_DEFERRED (1): the task waits; or an error */
	FILE_RESULT = 2,
	BLOCK_DEVICE = 0,
	BLOCK_SECTOR = 1,
	BLOCK_SECTORS = 2,
	/* letters of the operation as in blktrace, 8 bytes in the order of
	 * memory; EVENT_BIO_REMAP has none
	 */
	BLOCK_OPERATION = 3,
	BLOCK_OLD_DEVICE = 3, /* EVENT_BIO_REMAP */
	BLOCK_OLD_SECTOR = 4,
	WORK_ADDRESS = 0,
	WORK_FUNCTION = 1,
	TIMER_ADDRESS = 0,
	TIMER_FUNCTION = 1,
	/* time of the timer's clock, in ns. EVENT_HRTIMER_START: when the timer
	 * expires; EVENT_HRTIMER_EXPIRE: the reading that showed the kernel
	 * that the timer had expired
	 */
	HRTIMER_CLOCK = 2,
	MOVED_TID = 0,	     /* EVENT_CGROUP_MOVE */
	IDLE_STATE = 0,	     /* its number; UINT32_MAX: the CPU returns */
	KSWAPD_ORDER = 0,    /* the node has no free block of 2^order pages */
	PROBED_FUNCTION = 0, /* address of the chosen function */
	/* EVENT_CALL_ARGUMENTS of the lists that record --args names
	 * (collector/trigger/argument_probes.c); absent in other records
	 */
	FILE_MAPPING = 1, /* of block_files, as are the two following */
	MAPPED_INODE = 2,
	MAPPED_DEVICE = 3,
	WAITED_WORD = 4, /* of wait_objects, as are the following */
	WAITED_BIT = 5,
	WAITED_VARIABLE = 6,
	STACK_FIRST = 7, /* the words between are in the record, too */
	STACK_LAST = 8,
	/* of EVENT_NET_RECEIVE to EVENT_NET_XMIT, except EVENT_NAPI_POLL */
	PACKET_BYTES = 1,
	PACKET_DEVICE = 2, /* a text: see fields */
};

/* The kernel's numbers of soft interrupts. include/linux/interrupt.h declares
 * them part of its interface.
 */
enum softirq_vector {
	HI_SOFTIRQ,
	TIMER_SOFTIRQ,
	NET_TX_SOFTIRQ,
	NET_RX_SOFTIRQ,
	BLOCK_SOFTIRQ,
	IRQ_POLL_SOFTIRQ,
	TASKLET_SOFTIRQ,
	SCHED_SOFTIRQ,
	HRTIMER_SOFTIRQ,
	RCU_SOFTIRQ,
};

enum { SYSTEM_CALL_ARGUMENTS = 6 };

/* One record of a known event.  The time is exact; the task and the CPU are
 * those on which the event happened.
 */
struct event_record {
	enum known_event event;
	int32_t cpu;
	int32_t pid;
	int32_t tid;
	uint64_t time_ns;
	int64_t values[EVENT_MAX_FIELDS]; /* see enum event_field */
	const struct sideband_record *sideband;
	/* EVENT_MAX_FIELDS, of size 0 if absent: where the values are in the
	 * tracepoint's record. Borrowed from known_events. NULL: the event was
	 * not read from such a record.
	 */
	const struct tracepoint_field *fields;
};

/* Maps a recording's event numbers to known events and finds their fields. */
struct known_events;

/* Returns the known events of @recording, which is borrowed; NULL when out of
 * memory.
 */
struct known_events *known_events_new(const struct recording *recording);
void known_events_free(struct known_events *events);

/* Returns whether the recording has perf's own switch records, which then
 * replace sched_switch (struct switch_events).
 */
bool known_events_has_switch_records(const struct known_events *events);

/* Returns whether @event was recorded. */
bool known_events_has(const struct known_events *events,
		      enum known_event event);

/* Returns whether system calls were recorded with the user's stack. */
bool known_events_has_user_stacks(const struct known_events *events);

/* A known event in a recording: the fields of its samples. */
struct known_layout {
	const struct recording_event *event;
	enum known_event number;
	struct tracepoint_field fields[EVENT_MAX_FIELDS];
};

/* Returns the layout of @event, borrowed; NULL if the event is not known, or if
 * other records replace its samples.
 */
const struct known_layout *
known_events_find(const struct known_events *events,
		  const struct recording_event *event);

/* Returns the name that record and perf use, as "sched:sched_switch"; of
 * EVENT_CALL_ARGUMENTS and EVENT_CALL_RESULT, a pattern of their names.
 */
const char *known_event_name(enum known_event event);

/* Sectors of a block device that were requested or completed. */
struct block_range {
	uint64_t device;
	uint64_t sector;
	uint64_t sectors; /* 0: a flush */
};

enum { DEVICE_MINOR_BITS = 20, SECTOR_BYTES = 512 };

/* Major and minor number of a device as tracepoints write it (dev_t of
 * include/linux/kdev_t.h).
 */
static inline uint64_t device_major(uint64_t device)
{
	return device >> DEVICE_MINOR_BITS;
}

static inline uint64_t device_minor(uint64_t device)
{
	return device & ((1U << DEVICE_MINOR_BITS) - 1);
}

/* Returns the bytes of @range: the block layer's sectors have 512, whatever
 * the device's have (SECTOR_SIZE of include/linux/blk_types.h).
 */
static inline uint64_t block_range_bytes(const struct block_range *range)
{
	return range->sectors * SECTOR_BYTES;
}

/* Returns the sectors that a block device's @event contains. */
struct block_range block_range_of(const struct event_record *event);

/* Returns how many sectors the two ranges have in common, whatever their
 * devices.
 */
uint64_t block_range_common(const struct block_range *one,
			    const struct block_range *other);

/* Returns whether the completion @done has sectors of the request @asked or,
 * for a flush, the same sector. The devices must be equal or, unless @disks is
 * NULL, @asked may be for a partition of the disk: a completion has the number
 * of the disk. @disks has the numbers of disks, which are no partitions. The
 * trace does not show whose partition a device is, except that the major number
 * is mostly the same.
 */
bool block_range_is_done(const struct block_range *asked,
			 const struct block_range *done,
			 const struct number_map *disks);

#endif
