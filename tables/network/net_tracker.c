/* SPDX-License-Identifier: MIT */
#include "tables/network/net_packets.h"

#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/interrupts/interrupt_slice.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"
#include "symbolize/symbols/symbols.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>

struct net_tracker {
	struct event_handler handler;
	struct task_listener listener;
	struct net_packets packets;
	const struct task_time *time;
	const struct interrupt_accounts *accounts;
	struct function_marks *marks; /* enum net_mark */
	struct keyed_array updates;   /* struct net_update */
	int status;
};

/* A CPU learns the address of a neighbour, and sends the packets that wait for
 * it.
 */
struct net_update {
	int32_t cpu;
	bool is_open;
};

enum net_mark {
	MARK_BACKLOG = 1,
	MARK_SENDS_MORE,
	MARK_RESOLVES,
	MARK_UPDATES,
	MARK_REQUESTED
};

/* net/core/dev.c, net/ipv4/tcp_output.c, tcp_input.c, net/core/neighbour.c */
static const struct name_rule rules[] = {
	{ "process_backlog", false, MARK_BACKLOG },
	{ "tcp_tasklet_func", false, MARK_SENDS_MORE },
	{ "tcp_tsq_workfn", false, MARK_SENDS_MORE },
	{ "__neigh_event_send", false, MARK_RESOLVES },
	{ "neigh_update", false, MARK_UPDATES },
	{ "__neigh_update", false, MARK_UPDATES },
	{ "tcp_conn_request", false, MARK_REQUESTED },
};

static uint8_t needs_function(const struct event_handler *handler,
			      uint32_t function)
{
	const struct net_tracker *tracker = (const struct net_tracker *)handler;

	return function_marks_at(tracker->marks, function) >= MARK_RESOLVES;
}

/* Returns the work of @task, without open interrupt work: its system call, or
 * other outermost context, so that a packet that it processed has no part in its
 * next call.
 */
static uint64_t work_of_task(const struct net_tracker *tracker,
			     const struct task *task, int32_t tid)
{
	size_t count = 0;
	const struct open_context *contexts =
		task ? task_time_contexts(tracker->time, task->index, &count) :
		       NULL;

	return count ? contexts[0].serial : ~(uint64_t)tid;
}

/* Adds the interrupt work that is open in @task, or NULL, whose thread is @tid,
 * to @to.
 */
static void add_work(const struct net_tracker *tracker, const struct task *task,
		     int32_t tid, struct net_event *to)
{
	const struct interrupt_stack *stack =
		task ? interrupt_accounts_stack(tracker->accounts, task) : NULL;
	const struct interrupt_slice *top = stack ? interrupt_stack_top(stack) :
						    NULL;
	const struct interrupt_slice *outer = top ? stack->slices.items : NULL;
	enum net_mark mark;

	to->is_task = tid && !top;
	if (!top) {
		to->work = work_of_task(tracker, task, tid);
		return;
	}
	mark = (enum net_mark)function_marks_at(tracker->marks, top->function);
	to->work = top->span.begin_ns;
	to->is_thread = outer->is_thread_work;
	to->interrupt_ns = top->scheduled_ns;
	to->is_backlog = mark == MARK_BACKLOG;
	to->sends_more = mark == MARK_SENDS_MORE;
}

static void request(struct net_tracker *tracker, const struct call_step *step)
{
	struct net_event event = { .cpu = step->cpu };

	add_work(tracker, step->task, step->task->tid, &event);
	if (net_packets_request(&tracker->packets, &event) < 0)
		tracker->status = -ERROR_MEMORY;
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct net_tracker *tracker = (struct net_tracker *)handler;
	struct net_update update = { .cpu = step->task->cpu,
				     .is_open = step->kind == STEP_ENTER };
	struct net_update *held;
	enum net_mark mark;

	if (step->kind != STEP_ENTER && step->kind != STEP_EXIT)
		return;
	mark = (enum net_mark)function_marks_at(tracker->marks, step->function);
	if (mark == MARK_RESOLVES && step->kind == STEP_EXIT &&
	    net_packets_resolve(&tracker->packets, step->task, step->time_ns) <
		    0)
		tracker->status = -ERROR_MEMORY;
	if (mark == MARK_REQUESTED && step->kind == STEP_ENTER)
		request(tracker, step);
	if (mark != MARK_UPDATES)
		return;
	held = keyed_array_add(&tracker->updates, &update);
	if (held)
		held->is_open = update.is_open;
	else
		tracker->status = -ERROR_MEMORY;
}

/* Reads the device and the size of the packet that @event describes. */
static void read_packet(const struct event_record *event, struct net_event *to,
			char device[NET_DEVICE_SIZE])
{
	const struct sideband_record *record = event->sideband;

	to->bytes = (uint64_t)event->values[PACKET_BYTES];
	to->device = tracepoint_text(&event->fields[PACKET_DEVICE],
				     record->sample.raw,
				     record->sample.raw_size, device,
				     NET_DEVICE_SIZE);
}

/* Returns what the trackers of packets and sockets need of @event, except the
 * device.
 */
static struct net_event read_event(const struct event_record *event,
				   const struct task *task)
{
	bool is_segment = event->event == EVENT_TCP_SEGMENT;

	return (struct net_event){
		.kind = event->event,
		.cpu = event->cpu,
		.task = task ? *task :
			       (struct task){ .index = UINT32_MAX,
					      .tid = event->tid,
					      .pid = event->pid,
					      .cpu = event->cpu },
		.time_ns = event->time_ns,
		.address = (uint64_t)event->values[SKB_ADDRESS],
		.socket = (uint64_t)event->values[is_segment ? SKB_SOCKET :
							       SOCKET_ADDRESS],
		.woken = (int32_t)event->values[WAKING_TID],
		.is_closed = event->event == EVENT_SOCKET_STATE &&
			     event->values[SOCKET_NEW_STATE] == TCP_CLOSE,
		.is_accepted =
			event->event == EVENT_SOCKET_STATE &&
			event->values[SOCKET_OLD_STATE] == TCP_SYN_RECV &&
			event->values[SOCKET_NEW_STATE] == TCP_ESTABLISHED,
		.is_tasklet = event->values[SOFTIRQ_VECTOR] == TASKLET_SOFTIRQ,
	};
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	enum { USED = 1, DESCRIBES_PACKET = 2 };
	static const uint8_t uses[KNOWN_EVENTS] = {
		[EVENT_GRO_RECEIVE] = DESCRIBES_PACKET,
		[EVENT_NET_RX] = DESCRIBES_PACKET,
		[EVENT_NET_RECEIVE] = DESCRIBES_PACKET,
		[EVENT_NET_QUEUE] = DESCRIBES_PACKET,
		[EVENT_NET_XMIT] = DESCRIBES_PACKET,
		[EVENT_TCP_SEGMENT] = USED,
		[EVENT_SOCKET_READY] = USED,
		[EVENT_SKB_COPY] = USED,
		[EVENT_SKB_CONSUME] = USED,
		[EVENT_SKB_FREE] = USED,
		[EVENT_SOCKET_SENT] = USED,
		[EVENT_SOCKET_TAKEN] = USED,
		[EVENT_SOCKET_STATE] = USED,
		[EVENT_SCHED_WAKING] = USED,
		[EVENT_SOFTIRQ_RAISE] = USED,
	};
	struct net_tracker *tracker = (struct net_tracker *)handler;
	char device[NET_DEVICE_SIZE] = "";
	const struct net_update *update;
	const struct task *task;
	struct net_event read;

	if (!uses[event->event])
		return;
	task = task_time_task(tracker->time, event->cpu, event->tid);
	read = read_event(event, task);
	read.device = device;
	if (uses[event->event] == DESCRIBES_PACKET)
		read_packet(event, &read, device);
	update = keyed_array_find(&tracker->updates, &event->cpu);
	read.sends_waiting = update && update->is_open;
	add_work(tracker, task, event->tid, &read);
	if (net_packets_consume(&tracker->packets, &read) < 0)
		tracker->status = -ERROR_MEMORY;
}

static int consume_sleep(struct task_listener *listener,
			 const struct sleep *sleep)
{
	struct net_tracker *tracker =
		container_of(listener, struct net_tracker, listener);

	return net_packets_slept(&tracker->packets, sleep);
}

void net_tracker_free(struct net_tracker *tracker)
{
	if (!tracker)
		return;
	net_packets_close(&tracker->packets);
	keyed_array_free(&tracker->updates);
	free(tracker->marks);
	free(tracker);
}

struct net_tracker *net_tracker_new(const struct attribution_input *input,
				    struct net_callback *callback)
{
	struct net_tracker *tracker = calloc(1, sizeof(*tracker));

	if (!tracker)
		return NULL;
	tracker->handler.event = consume_event;
	tracker->handler.step = consume_step;
	tracker->handler.needs = needs_function;
	tracker->handler.limit = event_handler_limits_nothing;
	tracker->updates = KEYED_ARRAY_OF(struct net_update, cpu);
	tracker->listener.slept = consume_sleep;
	tracker->time = thread_tracker_time(trackers_threads(input->trackers));
	tracker->accounts = trackers_interrupts(input->trackers);
	tracker->marks =
		function_marks_by_rules(symbols_functions(input->symbols),
					rules, sizeof(rules) / sizeof(*rules));
	net_packets_open(&tracker->packets, callback);
	if (tracker->time && tracker->accounts && tracker->marks &&
	    trackers_plain_tasks(input->trackers, &tracker->listener) &&
	    !trackers_follow(input->trackers, &tracker->handler))
		return tracker;
	net_tracker_free(tracker);
	return NULL;
}

int net_tracker_end(struct net_tracker *tracker)
{
	if (net_packets_end(&tracker->packets) < 0)
		tracker->status = -ERROR_MEMORY;
	return tracker->status;
}
