/* SPDX-License-Identifier: MIT */
#include "attribution/events/known_events.h"

#include "common/formats/call_data.h"
#include "common/formats/recording_events.h"
#include "common/maps.h"
#include "decoder/recording/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct description {
	const char *name;
	const char *fields[EVENT_MAX_FIELDS];
};

/* The fields are in the order of enum event_field. */
static const struct description descriptions[KNOWN_EVENTS] = {
	[EVENT_SCHED_SWITCH] = { "sched:sched_switch",
				 { "prev_pid", "prev_state", "next_pid" } },
	[EVENT_SCHED_WAKING] = { "sched:sched_waking", { "pid", "prio" } },
	[EVENT_SCHED_WAKEUP_NEW] = { "sched:sched_wakeup_new", { "pid" } },
	[EVENT_IRQ_ENTRY] = { "irq:irq_handler_entry", { "irq" } },
	[EVENT_SOFTIRQ_RAISE] = { "irq:softirq_raise", { "vec" } },
	[EVENT_TASKLET_ENTRY] = { "irq:tasklet_entry", { "func" } },
	[EVENT_SYS_ENTER] = { "raw_syscalls:sys_enter",
			      { "id", "args[0]", "args[1]", "args[2]",
				"args[3]", "args[4]", "args[5]" } },
	[EVENT_SYS_EXIT] = { "raw_syscalls:sys_exit", { "id", "ret" } },
	[EVENT_PAGE_FAULT_USER] = { "exceptions:page_fault_user",
				    { "address", "ip" } },
	[EVENT_NET_RECEIVE] = { "net:netif_receive_skb",
				{ "skbaddr", "len", "name" } },
	[EVENT_NET_RX] = { "net:netif_rx", { "skbaddr", "len", "name" } },
	[EVENT_GRO_RECEIVE] = { "net:napi_gro_receive_entry",
				{ "skbaddr", "len", "name" } },
	[EVENT_NAPI_POLL] = { "napi:napi_poll", { "napi", "work", "budget" } },
	[EVENT_NET_QUEUE] = { "net:net_dev_queue",
			      { "skbaddr", "len", "name" } },
	[EVENT_NET_XMIT] = { "net:net_dev_start_xmit",
			     { "skbaddr", "len", "name" } },
	[EVENT_SKB_COPY] = { "skb:skb_copy_datagram_iovec", { "skbaddr" } },
	[EVENT_TCP_SEGMENT] = { "tcp:tcp_probe", { "skbaddr", "skaddr" } },
	[EVENT_SKB_CONSUME] = { "skb:consume_skb", { "skbaddr" } },
	[EVENT_SKB_FREE] = { "skb:kfree_skb", { "skbaddr", "rx_sk" } },
	[EVENT_SOCKET_READY] = { "sock:sk_data_ready", { "skaddr" } },
	[EVENT_SOCKET_SENT] = { "sock:sock_send_length", { "sk", "ret" } },
	[EVENT_SOCKET_TAKEN] = { "sock:sock_recv_length", { "sk", "ret" } },
	[EVENT_SOCKET_STATE] = { "sock:inet_sock_set_state",
				 { "skaddr", "protocol", "oldstate", "newstate",
				   "sport", "dport", "saddr_v6[0]",
				   "saddr_v6[1]", "daddr_v6[0]",
				   "daddr_v6[1]" } },
	[EVENT_LOCK_BEGIN] = { "lock:contention_begin",
			       { "lock_addr", "flags" } },
	[EVENT_LOCK_END] = { "lock:contention_end", { "lock_addr" } },
	[EVENT_FILE_FLOCK] = { "filelock:flock_lock_inode",
			       { "i_ino", "s_dev", "ret" } },
	[EVENT_FILE_POSIX] = { "filelock:posix_lock_inode",
			       { "i_ino", "s_dev", "ret" } },
	[EVENT_BIO_QUEUE] = { "block:block_bio_queue",
			      { "dev", "sector", "nr_sector", "rwbs[0]" } },
	[EVENT_BIO_REMAP] = { "block:block_bio_remap",
			      { "dev", "sector", "nr_sector", "old_dev",
				"old_sector" } },
	[EVENT_BIO_COMPLETE] = { "block:block_bio_complete",
				 { "dev", "sector", "nr_sector", "rwbs[0]" } },
	[EVENT_REQUEST_ISSUE] = { "block:block_rq_issue",
				  { "dev", "sector", "nr_sector", "rwbs[0]" } },
	[EVENT_REQUEST_COMPLETE] = { "block:block_rq_complete",
				     { "dev", "sector", "nr_sector",
				       "rwbs[0]" } },
	[EVENT_WORK_QUEUE] = { "workqueue:workqueue_queue_work",
			       { "work", "function" } },
	[EVENT_WORK_BEGIN] = { "workqueue:workqueue_execute_start",
			       { "work", "function" } },
	[EVENT_TIMER_START] = { "timer:timer_start", { "timer", "function" } },
	[EVENT_TIMER_CANCEL] = { "timer:timer_cancel", { "timer" } },
	[EVENT_TIMER_EXPIRE] = { "timer:timer_expire_entry",
				 { "timer", "function" } },
	[EVENT_HRTIMER_START] = { "timer:hrtimer_start",
				  { "hrtimer", "function", "expires" } },
	[EVENT_HRTIMER_CANCEL] = { "timer:hrtimer_cancel", { "hrtimer" } },
	[EVENT_HRTIMER_EXPIRE] = { "timer:hrtimer_expire_entry",
				   { "hrtimer", "function", "now" } },
	[EVENT_CGROUP_MOVE] = { "cgroup:cgroup_attach_task", { "pid" } },
	[EVENT_CPU_IDLE] = { "power:cpu_idle", { "state" } },
	[EVENT_KSWAPD_WAKE] = { "vmscan:mm_vmscan_kswapd_wake", { "order" } },
	[EVENT_CALL_ARGUMENTS] = { CALL_EVENTS_GROUP "*:" CALL_ARGUMENTS_EVENT
						     "*",
				   { "__probe_ip", "mapping", "inode",
				     "inode_device", "waited_word", "bit",
				     "waited_variable", "stack1", "stack24" } },
	[EVENT_CALL_RESULT] = { CALL_EVENTS_GROUP "*:" CALL_RESULT_EVENT "*",
				{ "__probe_func" } },
	[EVENT_SYS_DATA] = { CALL_DATA_EVENT, { NULL } },
};

struct known_events {
	bool has_switch_records;
	size_t count;
	struct known_layout known[];
};

/* Returns whether @name is the first @size bytes of @pattern, where "*" at the
 * end stands for anything.
 */
static bool matches(const char *pattern, size_t size, const char *name)
{
	bool is_prefix = pattern[size - 1] == '*';

	size -= is_prefix;
	return !strncmp(pattern, name, size) && (is_prefix || !name[size]);
}

static bool is_described(const struct tracepoint *tracepoint,
			 const struct description *description)
{
	size_t size = strcspn(description->name, ":");
	const char *name = description->name + size + 1;

	return matches(description->name, size, tracepoint->system) &&
	       matches(name, strlen(name), tracepoint->name);
}

static enum known_event find_number(const struct tracepoint *tracepoint)
{
	enum known_event number = 0;

	while (number < KNOWN_EVENTS &&
	       !is_described(tracepoint, &descriptions[number]))
		number++;
	return number;
}

/* Finds the field @name, or an item of 8 bytes of an array: "args[2]". The
 * arrays in these events consist of longs, or of bytes (addresses, letters)
 * that are read 8 at a time.
 */
static struct tracepoint_field find_field(const struct tracepoint *tracepoint,
					  const char *name)
{
	const char *bracket = strchr(name, '[');
	char base[32];
	const struct tracepoint_field *field;
	struct tracepoint_field found = { .size = 0 };
	uint32_t item = bracket ? (uint32_t)atoi(bracket + 1) : 0;

	snprintf(base, sizeof(base), "%.*s",
		 bracket ? (int)(bracket - name) : (int)strlen(name), name);
	field = tracepoint_field(tracepoint, base);
	if (!field || (bracket && (item + 1) * 8 > field->size))
		return found;
	found = *field;
	if (bracket) {
		found.size = 8;
		found.offset += 8 * item;
	}
	return found;
}

static void add_known(struct known_events *events,
		      const struct recording_event *event,
		      enum known_event number)
{
	struct known_layout *known = &events->known[events->count];

	if (number == KNOWN_EVENTS)
		return;
	events->count++;
	known->event = event;
	known->number = number;
	for (size_t i = 0; i < EVENT_MAX_FIELDS; i++)
		if (descriptions[number].fields[i])
			known->fields[i] =
				find_field(event->tracepoint,
					   descriptions[number].fields[i]);
}

struct known_events *known_events_new(const struct recording *recording)
{
	size_t count = recording_event_count(recording);
	struct known_events *events =
		calloc(1, sizeof(*events) + count * sizeof(*events->known));

	for (size_t i = 0; events && i < count; i++) {
		const struct recording_event *event =
			recording_event(recording, i);

		if (event->tracepoint)
			add_known(events, event,
				  find_number(event->tracepoint));
		else if (event->name && !strcmp(event->name, CALL_DATA_EVENT))
			add_known(events, event, EVENT_SYS_DATA);
		events->has_switch_records |= event->has_switches;
	}
	return events;
}

void known_events_free(struct known_events *events)
{
	free(events);
}

bool known_events_has_switch_records(const struct known_events *events)
{
	return events->has_switch_records;
}

bool known_events_has(const struct known_events *events, enum known_event event)
{
	if (event == EVENT_SCHED_SWITCH && events->has_switch_records)
		return true;
	for (size_t i = 0; i < events->count; i++)
		if (events->known[i].number == event)
			return true;
	return false;
}

bool known_events_has_user_stacks(const struct known_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		if (events->known[i].number == EVENT_SYS_ENTER &&
		    events->known[i].event->user_registers)
			return true;
	return false;
}

const struct known_layout *
known_events_find(const struct known_events *events,
		  const struct recording_event *event)
{
	for (size_t i = 0; i < events->count; i++) {
		const struct known_layout *known = &events->known[i];

		if (known->event == event)
			return known->number == EVENT_SCHED_SWITCH &&
					       events->has_switch_records ?
				       NULL :
				       known;
	}
	return NULL;
}

const char *known_event_name(enum known_event event)
{
	return descriptions[event].name;
}

struct block_range block_range_of(const struct event_record *event)
{
	return (struct block_range){
		.device = (uint64_t)event->values[BLOCK_DEVICE],
		.sector = (uint64_t)event->values[BLOCK_SECTOR],
		.sectors = (uint64_t)event->values[BLOCK_SECTORS],
	};
}

/* Returns whether @device may be a partition of @disk: see
 * block_range_is_done().
 */
static bool may_be_part_of(uint64_t device, uint64_t disk,
			   const struct number_map *disks)
{
	return device_major(device) == device_major(disk) &&
	       !number_map_find(disks, device);
}

uint64_t block_range_common(const struct block_range *one,
			    const struct block_range *other)
{
	uint64_t begin = one->sector;
	uint64_t end = begin + one->sectors;

	if (begin < other->sector)
		begin = other->sector;
	if (end > other->sector + other->sectors)
		end = other->sector + other->sectors;
	return end > begin ? end - begin : 0;
}

static bool overlaps(const struct block_range *a, const struct block_range *b)
{
	if (!a->sectors || !b->sectors)
		return a->sector == b->sector;
	return block_range_common(a, b);
}

bool block_range_is_done(const struct block_range *asked,
			 const struct block_range *done,
			 const struct number_map *disks)
{
	return overlaps(asked, done) &&
	       (asked->device == done->device ||
		(disks && may_be_part_of(asked->device, done->device, disks)));
}
