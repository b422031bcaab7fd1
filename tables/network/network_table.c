/* SPDX-License-Identifier: MIT */
#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/packets/net_packets.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/task_choice.h"
#include "tables/table.h"
#include "tables/text/histogram.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <string.h>

/* The packets of one device, kind and process. */
struct net_stat {
	enum net_kind kind;
	char device[NET_DEVICE_SIZE];
	int32_t pid;		/* or a group of input.groups */
	struct histogram times; /* of packets that were read or freed */
	uint64_t count;
	uint64_t open;
	uint64_t inferred;
	uint64_t polled;
	uint64_t backlog;
	uint64_t threads;
	uint64_t bytes;
	uint64_t parts_ns[NET_PARTS];
	uint64_t sleeps;
	uint64_t slept_ns;
};

/* A thread that a packet woke. */
struct net_waiter {
	int32_t tid;
	uint64_t wake_ns; /* 0: its sleep was counted */
	enum net_kind kind;
	char device[NET_DEVICE_SIZE];
};

/* report --network: the packets of network devices by the process that read or
 * sent them, and the sleeps that they ended.
 */
struct network_table {
	struct event_handler handler;
	struct net_callback callback;
	struct task_listener listener;
	struct attribution_input input;
	struct keyed_array stats; /* struct net_stat */
	struct keyed_array woken; /* struct net_waiter */
	/* the times at which sockets reported packets were recorded */
	bool has_queued;
};

/* Returns the row of @kind, @device and the process or group of @task, added if
 * it is new; NULL when out of memory.
 */
static struct net_stat *stat_of(struct network_table *table, enum net_kind kind,
				const char *device, const struct task *task)
{
	const struct task_groups *groups = table->input.groups;
	struct net_stat like = { .kind = kind, .times = HISTOGRAM_EMPTY };

	memcpy(like.device, device, sizeof(like.device));
	like.pid = groups ? task_groups_of(groups, task) : task->pid;
	return keyed_array_add(&table->stats, &like);
}

static void add_parts(struct net_stat *stat, const struct net_packet *packet)
{
	for (int i = 0; i < NET_PARTS; i++) {
		struct time_window part =
			net_packet_part(packet, (enum net_part)i);

		stat->parts_ns[i] += part.until_ns - part.since_ns;
	}
}

static int consume_packet(struct net_callback *callback,
			  const struct net_packet *packet)
{
	struct network_table *table =
		container_of(callback, struct network_table, callback);
	struct net_stat *stat;
	uint64_t start_ns;

	if (!table_wants(&table->input, &packet->task,
			 net_packet_start(packet)))
		return 0;
	stat = stat_of(table, packet->kind, packet->device, &packet->task);
	if (!stat)
		return -ERROR_MEMORY;
	stat->count++;
	stat->open += packet->kind != NET_ACKNOWLEDGED && !packet->ended_ns;
	stat->inferred += packet->is_inferred;
	stat->polled += packet->kind != NET_SENT && !packet->interrupt_ns;
	stat->backlog += packet->is_backlog;
	stat->threads += packet->is_thread;
	stat->bytes += packet->bytes;
	add_parts(stat, packet);
	start_ns = net_packet_start(packet);
	return packet->ended_ns ?
		       histogram_add(&stat->times,
				     packet->ended_ns > start_ns ?
					     packet->ended_ns - start_ns :
					     0) :
		       0;
}

static int consume_wake(struct net_callback *callback,
			const struct net_wake *wake)
{
	struct network_table *table =
		container_of(callback, struct network_table, callback);
	struct net_waiter *waiter = keyed_array_add(
		&table->woken, &(struct net_waiter){ .tid = wake->tid });

	if (!waiter)
		return -ERROR_MEMORY;
	waiter->wake_ns = wake->time_ns;
	waiter->kind = wake->kind;
	memcpy(waiter->device, wake->device, sizeof(waiter->device));
	return 0;
}

/* Counts @sleep, which has ended, if a packet woke its thread. */
static int consume_sleep(struct task_listener *listener,
			 const struct sleep *sleep)
{
	struct network_table *table =
		container_of(listener, struct network_table, listener);
	struct net_waiter *waiter =
		keyed_array_find(&table->woken, &sleep->task->tid);
	struct net_stat *stat;

	if (!waiter || !sleep->wake_ns || waiter->wake_ns != sleep->wake_ns)
		return 0;
	waiter->wake_ns = 0;
	if (!table_wants(&table->input, sleep->task, sleep->begin_ns))
		return 0;
	stat = stat_of(table, waiter->kind, waiter->device, sleep->task);
	if (!stat)
		return -ERROR_MEMORY;
	stat->sleeps++;
	stat->slept_ns += sleep->asleep_ns;
	return 0;
}

static void close_table(struct event_handler *handler)
{
	struct network_table *table = (struct network_table *)handler;

	for (size_t i = 0; i < table->stats.items.count; i++) {
		struct net_stat *stat = array_at(&table->stats.items, i);

		histogram_free(&stat->times);
	}
	keyed_array_free(&table->stats);
	keyed_array_free(&table->woken);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct network_table *table = (struct network_table *)handler;

	table->callback.done = consume_packet;
	table->callback.woke = consume_wake;
	table->listener.slept = consume_sleep;
	table->input = *input;
	table->stats = KEYED_ARRAY_OF(struct net_stat, pid);
	table->woken = KEYED_ARRAY_OF(struct net_waiter, tid);
	table->has_queued = known_events_has(input->events, EVENT_SOCKET_READY);
	return trackers_packets(input->trackers, &table->callback) &&
	       trackers_plain_tasks(input->trackers, &table->listener);
}

static const char *kind_of(const struct column_row *row)
{
	const struct net_stat *stat = row->fact;

	return net_kind_name(stat->kind);
}

static const char *device_of(const struct column_row *row)
{
	const struct net_stat *stat = row->fact;

	return stat->device;
}

#define OF(member) MEMBER(struct net_stat, member)
#define IF_QUEUED KNOWN_BY(struct network_table, has_queued)

static const struct column columns[] = {
	TEXT_COLUMN("device", "network device", NAMED(device_of)),
	TEXT_COLUMN("kind",
		    "received, acknowledged (received without data for a "
		    "reader) or sent",
		    NAMED(kind_of)),
	GROUP_COLUMN(struct net_stat, pid),
	INT_COLUMN("pid", "process that read or sent them; -1 unknown", OF(pid),
		   .rows = COLUMN_OF_TASKS),
	COMM_COLUMN(WRITTEN_OF(column_write_comm, struct net_stat, pid),
		    .rows = COLUMN_OF_TASKS),
	COUNT_COLUMN(OF(count)),
	INT_COLUMN("open", "packets whose reading or end was not recorded",
		   OF(open)),
	INT_COLUMN("inferred", "packets whose process or end is inferred",
		   OF(inferred)),
	INT_COLUMN("polled",
		   "received packets without an interrupt of their own: the "
		   "device was being polled",
		   OF(polled)),
	INT_COLUMN("from_backlog",
		   "of these, packets that passed the backlog of a CPU: "
		   "loopback, RPS",
		   OF(backlog)),
	INT_COLUMN("threads",
		   "packets that ksoftirqd or another kernel thread processed",
		   OF(threads)),
	BYTES_COLUMN("bytes", "size of them all", OF(bytes)),
	TOTAL_COLUMN(OF(times.total)),
	NS_COLUMN("interrupt_ns",
		  "from the interrupt until the driver delivered them",
		  OF(parts_ns[NET_PART_INTERRUPT])),
	NS_COLUMN("backlog_ns",
		  "from then until the protocols got them: GRO, backlog",
		  OF(parts_ns[NET_PART_BACKLOG])),
	NS_COLUMN("stack_ns",
		  "from then until a socket reported them to its readers",
		  OF(parts_ns[NET_PART_STACK]), IF_QUEUED),
	NS_COLUMN("socket_ns", "from then until a task read them",
		  OF(parts_ns[NET_PART_SOCKET]), IF_QUEUED),
	NS_COLUMN("queue_ns", "in the device's queue",
		  OF(parts_ns[NET_PART_QUEUE])),
	NS_COLUMN("device_ns", "from then until the device had sent them",
		  OF(parts_ns[NET_PART_DEVICE])),
	MEAN_COLUMN_OF(struct net_stat, times),
	P99_COLUMN_OF(struct net_stat, times),
	MAX_COLUMN(OF(times.max)),
	INT_COLUMN("sleeps", "sleeps that they ended", OF(sleeps)),
	NS_COLUMN("slept_ns", "duration of these sleeps", OF(slept_ns)),
	END_OF_COLUMNS,
};

static const struct table_need needs[] = {
	{ .columns = "packets of network devices",
	  .event = EVENT_NET_RECEIVE,
	  .is_all = true },
	{ .columns = "stack_ns, socket_ns", .event = EVENT_SOCKET_READY },
	{ .columns = "interrupt_ns, from_backlog, threads",
	  .event = RECORDED_KERNEL },
	{ .columns = "sleeps", .event = EVENT_SCHED_WAKING },
};

static int compare_stats(const void *a, const void *b)
{
	const struct net_stat *x = a;
	const struct net_stat *y = b;

	if (x->times.total != y->times.total)
		return x->times.total > y->times.total ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return memcmp(x, y, offsetof(struct net_stat, times));
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct network_table *table = (struct network_table *)handler;

	array_sort(&table->stats.items, compare_stats);
	return table_rows_show(
		output, &(struct table_rows)TABLE_ROWS(&network_table, table,
						       &table->stats.items));
}

const struct attribution_table network_table = {
	.name = "network",
	.columns = columns,
	TABLE_NEEDS(needs, "No packet was received or sent"),
	.brief = "group,device,kind,pid,comm,count,bytes,interrupt_ns,"
		 "backlog_ns,stack_ns,socket_ns,queue_ns,device_ns,max_ns,"
		 "slept_ns",
	.help = "packets of network devices: time from the interrupt to the "
		"socket's queue and to the reader, and from the sender to "
		"the device",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct network_table),
	.open = open_table,
	.render = render,
	.close = close_table,
};
