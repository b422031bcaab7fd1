/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/packet_events_internal.h"

#include "attribution/time/task_contexts.h"
#include "attribution/time/task_time.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

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

bool packet_event_is_used(enum known_event kind)
{
	return uses[kind];
}

/* Returns the work of a task without open interrupt work: its system call, or
 * other outermost context, so that a packet that it processed has no part in its
 * next call.
 */
static uint64_t work_of_task(const struct event_context *context)
{
	size_t count = 0;
	const struct open_context *contexts =
		context->task ?
			task_time_contexts(context->time, context->task->index,
					   &count) :
			NULL;

	return count ? contexts[0].serial : ~(uint64_t)context->tid;
}

static void add_work(const struct event_context *context, struct net_event *to)
{
	const struct interrupt_slice *slice = context->slice;
	enum interrupt_role role;

	to->is_task = context->tid && !slice;
	if (!slice) {
		to->work = work_of_task(context);
		return;
	}
	role = interrupt_role_of(context->roles, slice->function);
	to->work = slice->span.begin_ns;
	to->is_thread = context->is_thread;
	to->interrupt_ns = slice->scheduled_ns;
	to->is_backlog = role == ROLE_POLLS_BACKLOG;
	to->sends_more = role == ROLE_SENDS_MORE;
	to->owner_pid = slice->owner ? owner_pid(slice->owner) : 0;
}

static void read_event(const struct event_record *event, struct net_event *to)
{
	bool has_both = event->event == EVENT_TCP_SEGMENT ||
			event->event == EVENT_SKB_FREE;

	to->kind = event->event;
	to->address = (uint64_t)event->values[SKB_ADDRESS];
	to->socket =
		(uint64_t)event->values[has_both ? SKB_SOCKET : SOCKET_ADDRESS];
	to->woken = (int32_t)event->values[WAKING_TID];
	to->is_new = event->event == EVENT_SOCKET_STATE &&
		     event->values[SOCKET_OLD_STATE] == TCP_LISTEN &&
		     event->values[SOCKET_NEW_STATE] == TCP_SYN_RECV;
	to->is_closed = event->event == EVENT_SOCKET_STATE &&
			event->values[SOCKET_NEW_STATE] == TCP_CLOSE;
	to->is_accepted = event->event == EVENT_SOCKET_STATE &&
			  event->values[SOCKET_OLD_STATE] == TCP_SYN_RECV &&
			  event->values[SOCKET_NEW_STATE] == TCP_ESTABLISHED;
	to->is_tasklet = event->values[SOFTIRQ_VECTOR] == TASKLET_SOFTIRQ;
}

/* Reads the device and the size of the packet that @event describes. */
static void read_packet(const struct event_record *event, struct net_event *to,
			char device[NET_DEVICE_SIZE])
{
	const struct sideband_record *record = event->sideband;

	to->bytes = (uint64_t)event->values[PACKET_BYTES];
	if (event->fields)
		tracepoint_text(&event->fields[PACKET_DEVICE],
				record->sample.raw, record->sample.raw_size,
				device, NET_DEVICE_SIZE);
}

struct net_event packet_event_of(const struct event_context *context,
				 char device[NET_DEVICE_SIZE])
{
	const struct event_record *event = context->event;
	struct net_event read = { .cpu = (int32_t)context->cpu,
				  .time_ns = context->time_ns,
				  .device = device };

	read.task = context->task ?
			    *context->task :
			    (struct task){ .index = UINT32_MAX,
					   .tid = context->tid,
					   .pid = context->pid,
					   .cpu = (int32_t)context->cpu };
	device[0] = '\0';
	if (event)
		read_event(event, &read);
	if (event && uses[event->event] == DESCRIBES_PACKET)
		read_packet(event, &read, device);
	add_work(context, &read);
	return read;
}
