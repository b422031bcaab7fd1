/* SPDX-License-Identifier: MIT */
#include "attribution/requests/request.h"

#include "attribution/events/function_marks.h"
#include "attribution/time/time_span.h"
#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"

#include <stdlib.h>
#include <string.h>

/* The values of requests, each with its own rules: messages and the media they
 * go through, with the kernel's functions for each; work segments, each with
 * the segment that it continues as its parent; and the clock of a thread, whose
 * marks divide its time among segments.
 *
 * work_segment_give() refuses a parent that would make a circle. A chain of
 * parents has less than twice MOST_PARENTS segments: it would grow for ever in
 * a thread that sends and never waits.
 */

/* The functions, from fs/pipe.c, fs/jbd2/commit.c, drivers/tty/,
 * kernel/workqueue.c, fs/eventfd.c, fs/select.c, fs/eventpoll.c, io_uring/,
 * net/unix/af_unix.c, net/ipv4/, net/core/, lib/, ipc/ and kernel/futex/ of
 * Linux 5.10 to 6.15.
 */
#define VALUE(kind, medium) ((kind) | (medium) << 4)

static const struct name_rule known[] = {
	{ "pipe_write", false, VALUE(MESSAGE_SEND, MEDIUM_PIPE) },
	{ "anon_pipe_write", false, VALUE(MESSAGE_SEND, MEDIUM_PIPE) },
	{ "fifo_pipe_write", false, VALUE(MESSAGE_SEND, MEDIUM_PIPE) },
	{ "eventfd_write", false, VALUE(MESSAGE_SEND, MEDIUM_EVENTFD) },
	{ "n_tty_write", false, VALUE(MESSAGE_SEND, MEDIUM_TTY) },
	{ "unix_stream_sendmsg", false, VALUE(MESSAGE_SEND, MEDIUM_UNIX) },
	{ "unix_dgram_sendmsg", false, VALUE(MESSAGE_SEND, MEDIUM_UNIX) },
	{ "do_mq_timedsend", false, VALUE(MESSAGE_SEND, MEDIUM_QUEUE) },
	{ "do_msgsnd", false, VALUE(MESSAGE_SEND, MEDIUM_QUEUE) },
	{ "tcp_sendmsg", false, VALUE(MESSAGE_SEND, MEDIUM_TCP) },
	{ "udp_sendmsg", false, VALUE(MESSAGE_SEND, MEDIUM_UDP) },
	{ "udpv6_sendmsg", false, VALUE(MESSAGE_SEND, MEDIUM_UDP) },
	{ "raw_sendmsg", false, VALUE(MESSAGE_SEND, MEDIUM_UDP) },
	{ "unix_stream_connect", false, VALUE(MESSAGE_CONNECT, MEDIUM_UNIX) },
	{ "tcp_v4_connect", false, VALUE(MESSAGE_CONNECT, MEDIUM_TCP) },
	{ "tcp_v6_connect", false, VALUE(MESSAGE_CONNECT, MEDIUM_TCP) },
	{ "futex_wake", false, VALUE(MESSAGE_SIGNAL, MEDIUM_FUTEX) },
	{ "futex_wake_op", false, VALUE(MESSAGE_SIGNAL, MEDIUM_FUTEX) },
	{ "futex_requeue", false, VALUE(MESSAGE_SIGNAL, MEDIUM_FUTEX) },
	{ "copy_page_to_iter", false, VALUE(MESSAGE_COPY, MEDIUM_PIPE) },
	{ "kfree_skb_partial", false, VALUE(MESSAGE_MERGE, MEDIUM_TCP) },
	{ "io_poll_wake", false, VALUE(MESSAGE_POLL, MEDIUM_RING) },
	{ "ep_poll_callback", false, VALUE(MESSAGE_POLL, MEDIUM_UNKNOWN) },
	{ "io_issue_sqe", false, VALUE(MESSAGE_ISSUE, MEDIUM_RING) },
	{ "io_submit_sqes", false, VALUE(MESSAGE_ENTRY, MEDIUM_RING) },
	{ "io_wq_submit_work", false, VALUE(MESSAGE_ENTRY, MEDIUM_RING) },
	{ "process_one_work", false, VALUE(MESSAGE_ITEM, MEDIUM_TTY) },
	{ "wq_barrier_func", false, VALUE(MESSAGE_FLUSH, MEDIUM_TTY) },
	{ "jbd2_journal_commit_transaction", false,
	  VALUE(MESSAGE_COMMIT, MEDIUM_UNKNOWN) },
	{ "pipe_read", false, VALUE(MESSAGE_WAIT, MEDIUM_PIPE) },
	{ "anon_pipe_read", false, VALUE(MESSAGE_WAIT, MEDIUM_PIPE) },
	{ "fifo_pipe_read", false, VALUE(MESSAGE_WAIT, MEDIUM_PIPE) },
	{ "eventfd_read", false, VALUE(MESSAGE_WAIT, MEDIUM_EVENTFD) },
	{ "tty_read", false, VALUE(MESSAGE_WAIT, MEDIUM_TTY) },
	{ "unix_stream_read_generic", false, VALUE(MESSAGE_WAIT, MEDIUM_UNIX) },
	{ "__unix_dgram_recvmsg", false, VALUE(MESSAGE_WAIT, MEDIUM_UNIX) },
	{ "tcp_recvmsg", false, VALUE(MESSAGE_WAIT, MEDIUM_TCP) },
	{ "udp_recvmsg", false, VALUE(MESSAGE_WAIT, MEDIUM_UDP) },
	{ "udpv6_recvmsg", false, VALUE(MESSAGE_WAIT, MEDIUM_UDP) },
	{ "do_mq_timedreceive", false, VALUE(MESSAGE_WAIT, MEDIUM_QUEUE) },
	{ "do_msgrcv", false, VALUE(MESSAGE_WAIT, MEDIUM_QUEUE) },
	{ "unix_accept", false, VALUE(MESSAGE_ACCEPT, MEDIUM_UNIX) },
	{ "inet_csk_accept", false, VALUE(MESSAGE_ACCEPT, MEDIUM_TCP) },
	{ "do_sys_poll", false, VALUE(MESSAGE_MANY, MEDIUM_UNKNOWN) },
	{ "do_select", false, VALUE(MESSAGE_MANY, MEDIUM_UNKNOWN) },
	{ "do_epoll_wait", false, VALUE(MESSAGE_MANY, MEDIUM_UNKNOWN) },
	{ "ep_poll", false, VALUE(MESSAGE_MANY, MEDIUM_UNKNOWN) },
	{ "io_cqring_wait", false, VALUE(MESSAGE_MANY, MEDIUM_RING) },
	{ "futex_wait", false, VALUE(MESSAGE_WORD, MEDIUM_FUTEX) },
	{ "__futex_wait", false, VALUE(MESSAGE_WORD, MEDIUM_FUTEX) },
	{ "futex_wait_multiple", false, VALUE(MESSAGE_WORD, MEDIUM_FUTEX) },
};

_Static_assert(MEDIA <= 16, "a value is a byte");

const char *message_medium_name(enum message_medium medium)
{
	static const char *const names[MEDIA] = {
		[MEDIUM_UNKNOWN] = "",	      [MEDIUM_PIPE] = "pipe",
		[MEDIUM_EVENTFD] = "eventfd", [MEDIUM_QUEUE] = "queue",
		[MEDIUM_UNIX] = "unix",	      [MEDIUM_TCP] = "tcp",
		[MEDIUM_UDP] = "udp",	      [MEDIUM_FUTEX] = "futex",
		[MEDIUM_TTY] = "tty",	      [MEDIUM_RING] = "io_uring",
	};

	return names[medium];
}

struct function_marks *message_kinds_new(const struct function_table *functions)
{
	return function_marks_by_rules(functions, known,
				       sizeof(known) / sizeof(*known));
}

struct message_function message_kinds_of(const struct function_marks *kinds,
					 uint32_t function)
{
	uint8_t value = function_marks_at(kinds, function);

	return (struct message_function){ value & 15, value >> 4 };
}

struct message *message_refer(struct message *message)
{
	message->references++;
	return message;
}

void message_drop(struct message *message)
{
	if (!message || --message->references)
		return;
	work_segment_drop(message->segment);
	clock_mark_drop(message->begin);
	clock_mark_drop(message->sent);
	work_segment_drop(message->carrier);
	clock_mark_drop(message->carried);
	request_drop(message->asks);
	request_drop(message->answers);
	free(message);
}

bool message_is_guessable(const struct message *message,
			  enum message_medium medium)
{
	return !message->is_taken && !message->has_packets &&
	       (medium == MEDIUM_UNKNOWN || message->medium == medium);
}

bool message_may_be_for(const struct message *message,
			const struct task *client, bool is_bold)
{
	const struct request *request = message->segment->request;

	return !request || request->client == client || request->is_answered ||
	       (is_bold && (request->is_inferred || request->is_polled));
}

bool message_is_older(const struct message *message,
		      const struct message *other)
{
	return !other || message->sent->time_ns < other->sent->time_ns;
}

int message_list_add(struct array *list, struct message *message, size_t most)
{
	if (array_append(list, &message) < 0)
		return -ERROR_MEMORY;
	message_refer(message);
	if (list->count > most)
		message_drop(message_list_take(list, 0));
	return 0;
}

struct message *message_list_take(struct array *list, size_t index)
{
	struct message *message = message_in(list, index);

	array_remove(list, index, 1);
	return message;
}

void message_list_forget(struct array *list, const struct message *message)
{
	for (size_t i = list->count; i-- > 0;)
		if (message_in(list, i) == message)
			message_drop(message_list_take(list, i));
}

void message_list_forget_taken(struct array *list)
{
	for (size_t i = list->count; i-- > 0;)
		if (message_in(list, i)->is_taken)
			message_drop(message_list_take(list, i));
}

void message_list_clear(struct array *list)
{
	while (list->count)
		message_drop(message_list_take(list, list->count - 1));
}

void message_list_free(struct array *list)
{
	message_list_clear(list);
	array_free(list);
}

int message_map_set(struct number_map *map, uint64_t key,
		    struct message *message)
{
	struct message *before = number_map_pointer(map, key);
	uint64_t *slot = message ? number_map_add(map, key) : NULL;

	if (message && !slot)
		return -ERROR_MEMORY;
	if (slot)
		*slot = (uintptr_t)message_refer(message);
	else
		number_map_remove(map, key);
	message_drop(before);
	return 0;
}

void message_map_free(struct number_map *map)
{
	struct message *message;
	size_t place = 0;

	while ((message = number_map_next_pointer(map, &place)))
		message_drop(message);
	number_map_free(map);
}

struct delivery {
	uint64_t packet; /* 0: none */
	uint64_t softirq;
};

struct packets {
	struct number_map messages; /* struct message *, by packet */
	/* struct message *, by packet that replies to it */
	struct number_map replies;
	struct array deliveries; /* struct delivery, by CPU */
};

struct packets *packets_new(void)
{
	struct packets *packets = calloc(1, sizeof(*packets));

	if (packets)
		packets->deliveries = ARRAY_OF(struct delivery);
	return packets;
}

void packets_free(struct packets *packets)
{
	if (!packets)
		return;
	message_map_free(&packets->messages);
	message_map_free(&packets->replies);
	array_free(&packets->deliveries);
	free(packets);
}

int packets_set(struct packets *packets, uint64_t packet,
		struct message *message)
{
	int error = message_map_set(&packets->replies, packet, NULL);

	return error ? error :
		       message_map_set(&packets->messages, packet, message);
}

struct message *packets_find(const struct packets *packets, uint64_t packet)
{
	return number_map_pointer(&packets->messages, packet);
}

int packets_set_reply(struct packets *packets, uint64_t packet,
		      struct message *delivered)
{
	return message_map_set(&packets->replies, packet, delivered);
}

struct message *packets_find_delivered(const struct packets *packets,
				       uint64_t packet)
{
	return number_map_pointer(&packets->replies, packet);
}

int packets_deliver(struct packets *packets, int32_t cpu, uint64_t packet,
		    uint64_t softirq)
{
	struct delivery *delivery =
		array_reach(&packets->deliveries, (size_t)cpu);

	if (!delivery)
		return -ERROR_MEMORY;
	*delivery = (struct delivery){ packet, softirq };
	return 0;
}

/* Returns the packet that @cpu delivers in @softirq; 0: none. */
static uint64_t packet_delivered(const struct packets *packets, int32_t cpu,
				 uint64_t softirq)
{
	const struct delivery *delivery =
		(size_t)cpu < packets->deliveries.count ?
			array_at(&packets->deliveries, (size_t)cpu) :
			NULL;

	return softirq && delivery && delivery->softirq == softirq ?
		       delivery->packet :
		       0;
}

struct message *packets_delivered(const struct packets *packets, int32_t cpu,
				  uint64_t softirq)
{
	uint64_t packet = packet_delivered(packets, cpu, softirq);

	return packet ? packets_find(packets, packet) : NULL;
}

void packets_forget_delivered(struct packets *packets, int32_t cpu,
			      uint64_t softirq)
{
	uint64_t packet = packet_delivered(packets, cpu, softirq);

	if (packet)
		packets_set(packets, packet, NULL);
}

/* A request contains far fewer sleeps of a thread than this. */
enum { MOST_AWAY = 256 };

struct clock_mark *clock_mark_refer(struct clock_mark *mark)
{
	mark->references++;
	return mark;
}

void clock_mark_drop(struct clock_mark *mark)
{
	if (mark && !--mark->references)
		free(mark);
}

static void know(const struct thread_clock *clock, struct clock_mark *mark)
{
	memcpy(mark->parts, clock->parts, sizeof(mark->parts));
	mark->is_known = true;
}

struct clock_mark *thread_clock_mark(struct thread_clock *clock,
				     uint64_t time_ns)
{
	struct clock_mark *mark = calloc(1, sizeof(*mark));

	if (!mark)
		return NULL;
	mark->references = 1;
	mark->time_ns = time_ns > clock->end_ns ? time_ns : clock->end_ns;
	if (time_ns <= clock->end_ns) {
		know(clock, mark);
		return mark;
	}
	if (!array_append(&clock->marks, &mark))
		return clock_mark_refer(mark);
	free(mark);
	return NULL;
}

enum request_part request_part_of(const struct time_span *span, bool is_idle)
{
	static const enum request_part parts[TIME_CLASSES] = {
		[TIME_USER] = PART_USER,
		[TIME_SYSTEM_CALL] = PART_KERNEL,
		[TIME_FAULT] = PART_KERNEL,
		[TIME_RECLAIM] = PART_KERNEL,
		[TIME_KERNEL] = PART_KERNEL,
		[TIME_INTERRUPT] = PART_INTERRUPT,
		[TIME_TRACER] = PART_TRACER,
		[TIME_GUEST] = PART_GUEST,
		[TIME_RUNNABLE] = PART_RUNNABLE,
		[TIME_THROTTLED] = PART_RUNNABLE,
		[TIME_ASLEEP] = PART_ASLEEP,
		[TIME_NOT_ASKED] = PART_UNKNOWN,
		[TIME_UNKNOWN] = PART_UNKNOWN,
	};
	enum request_part part = parts[time_span_account(span)];

	return part == PART_ASLEEP && is_idle ? PART_IDLE : part;
}

/* Removes the first @count marks. */
static void forget(struct thread_clock *clock, size_t count)
{
	struct clock_mark **marks = clock->marks.items;

	for (size_t i = 0; i < count; i++)
		clock_mark_drop(marks[i]);
	array_remove(&clock->marks, 0, count);
}

static bool is_away(enum request_part part)
{
	return part == PART_RUNNABLE || part == PART_ASLEEP ||
	       part == PART_IDLE;
}

static void keep_away(struct thread_clock *clock, enum request_part part,
		      const struct time_span *span)
{
	const struct away_span away = { part, span->begin_ns, span->end_ns };

	if (clock->away.count == 2 * MOST_AWAY)
		array_remove(&clock->away, 0, MOST_AWAY);
	(void)array_append(&clock->away, &away);
}

bool thread_clock_consume(struct thread_clock *clock,
			  const struct time_span *span, enum request_part part)
{
	struct clock_mark **marks = clock->marks.items;
	size_t count = 0;

	for (; count < clock->marks.count &&
	       marks[count]->time_ns <= span->end_ns;
	     count++) {
		know(clock, marks[count]);
		if (marks[count]->time_ns > span->begin_ns)
			marks[count]->parts[part] +=
				marks[count]->time_ns - span->begin_ns;
	}
	if (is_away(part))
		keep_away(clock, part, span);
	clock->parts[part] += span->end_ns - span->begin_ns;
	clock->end_ns = span->end_ns;
	forget(clock, count);
	return count;
}

void thread_clock_away(const struct thread_clock *clock, uint64_t begin_ns,
		       uint64_t end_ns, uint64_t parts[REQUEST_PARTS])
{
	const struct away_span *away = clock->away.items;

	memset(parts, 0, REQUEST_PARTS * sizeof(*parts));
	for (size_t i = clock->away.count;
	     i-- > 0 && away[i].end_ns > begin_ns;) {
		uint64_t from = away[i].begin_ns > begin_ns ? away[i].begin_ns :
							      begin_ns;
		uint64_t to = away[i].end_ns < end_ns ? away[i].end_ns : end_ns;

		if (to > from)
			parts[away[i].part] += to - from;
	}
}

void thread_clock_end(struct thread_clock *clock)
{
	struct clock_mark **marks = clock->marks.items;

	for (size_t i = 0; i < clock->marks.count; i++)
		know(clock, marks[i]);
	forget(clock, clock->marks.count);
	array_free(&clock->marks);
}

void thread_clock_free(struct thread_clock *clock)
{
	thread_clock_end(clock);
	array_free(&clock->away);
}

struct work_segment *work_segment_refer(struct work_segment *segment)
{
	segment->references++;
	return segment;
}

void work_segment_drop(struct work_segment *segment)
{
	while (segment && !--segment->references) {
		struct work_segment *parent = segment->parent;

		request_drop(segment->request);
		clock_mark_drop(segment->begin);
		clock_mark_drop(segment->end);
		free(segment);
		segment = parent;
	}
}

struct work_segment *work_segment_new(const struct task *task,
				      const struct thread_clock *clock,
				      struct clock_mark *begin)
{
	struct work_segment *segment = calloc(1, sizeof(*segment));

	if (!segment)
		return NULL;
	segment->task = task;
	segment->clock = clock;
	segment->begin = begin;
	segment->references = 1;
	return segment;
}

/* Removes @segment from the segments of @request. If @segment was the newest on
 * the path, its parent becomes the newest, if the parent is of the same
 * request; otherwise the path is empty.
 */
static void consume_from(struct request *request, struct work_segment *segment)
{
	struct work_segment **segments = request->segments.items;
	size_t kept = 0;

	for (size_t i = 0; i < request->segments.count; i++)
		if (segments[i] != segment)
			segments[kept++] = segments[i];
	if (kept == request->segments.count)
		return;
	request->segments.count = kept;
	if (request->last == segment)
		request->last = segment->parent && segment->parent->request ==
							   request ?
					segment->parent :
					NULL;
	work_segment_drop(segment);
}

/* Cuts the chain of parents, which would grow without bound in a thread that
 * sends but never waits.
 */
static void shorten(struct work_segment *segment)
{
	struct work_segment *last = segment;

	for (uint32_t i = 0; i < MOST_PARENTS && last->parent; i++)
		last = last->parent;
	work_segment_drop(last->parent);
	last->parent = NULL;
	segment->length = MOST_PARENTS;
}

/* Returns whether @segment is @parent or one of its ancestors. */
static bool leads_through(const struct work_segment *parent,
			  const struct work_segment *segment)
{
	while (parent && parent != segment)
		parent = parent->parent;
	return parent;
}

int work_segment_give(struct work_segment *segment, struct request *request,
		      struct work_segment *parent)
{
	struct request *before = segment->request;
	struct work_segment *old_parent = segment->parent;

	/* Earlier segments may have been assigned to other requests since. */
	if (segment->is_parent && leads_through(parent, segment))
		parent = NULL;
	if (parent)
		work_segment_refer(parent)->is_parent = true;
	if (request)
		request_refer(request);
	if (before)
		consume_from(before, segment);
	segment->request = request;
	segment->parent = parent;
	segment->length = parent ? parent->length + 1 : 0;
	if (segment->length == 2 * MOST_PARENTS)
		shorten(segment);
	work_segment_drop(old_parent);
	request_drop(before);
	if (!request)
		return 0;
	if (array_append(&request->segments, &segment) < 0)
		return -ERROR_MEMORY;
	work_segment_refer(segment);
	return 0;
}

/* Limits unanswered requests: older ones are no evidence. */
enum { MOST_LISTED = 64 };

struct request *request_refer(struct request *request)
{
	request->references++;
	return request;
}

void request_clear(struct request *request)
{
	struct work_segment **segments = request->segments.items;

	request->last = NULL;
	for (size_t i = 0; i < request->segments.count; i++) {
		segments[i]->request = NULL;
		segments[i]->is_charged = true;
		request->references--;
		work_segment_drop(segments[i]);
	}
	array_free(&request->segments);
	work_segment_drop(request->origin);
	request->origin = NULL;
	message_drop(request->source);
	request->source = NULL;
}

void request_drop(struct request *request)
{
	while (request && !--request->references) {
		struct request *parent = request->parent;

		clock_mark_drop(request->begin);
		clock_mark_drop(request->sent);
		clock_mark_drop(request->answered);
		clock_mark_drop(request->heard);
		clock_mark_drop(request->end);
		free(request);
		request = parent;
	}
}

void request_set_parent(struct request *request, struct request *parent)
{
	request->parent = request_refer(parent);
	parent->has_children = true;
}

/* Returns the request that the sender of @message works for, or NULL. */
static struct request *parent_of(const struct message *message)
{
	struct request *parent = message->segment ? message->segment->request :
						    NULL;

	return parent && !parent->is_answered ? parent : NULL;
}

struct request *request_new(struct message *message)
{
	struct request *request = calloc(1, sizeof(*request));
	struct request *parent;

	if (!request)
		return NULL;
	*request = (struct request){
		.origin = work_segment_refer(message->segment),
		.client = message->sender,
		.kind = message->kind,
		.medium = message->medium,
		.is_inferred = message->is_inferred,
		.is_opening = message->is_opening,
		.is_polled = message->is_polled,
		.socket = message->from,
		.wakes = message->wakes,
		.begin = clock_mark_refer(message->begin),
		.sent = clock_mark_refer(message->sent),
		.segments = ARRAY_OF(struct work_segment *),
		.references = 2,
	};
	parent = parent_of(message);
	if (parent)
		request_set_parent(request, parent);
	message->asks = request;
	return request;
}

static bool is_known(const struct clock_mark *mark)
{
	return !mark || mark->is_known;
}

bool request_is_settled(const struct request *request)
{
	struct work_segment *const *segments = request->segments.items;

	if (!is_known(request->begin) || !is_known(request->sent) ||
	    !is_known(request->heard) || !is_known(request->end))
		return false;
	for (size_t i = 0; i < request->segments.count; i++)
		if (!is_known(segments[i]->begin) || !segments[i]->end ||
		    !segments[i]->end->is_known)
			return false;
	return true;
}

int request_list_add(struct array *list, struct request *request)
{
	struct request *oldest;

	if (array_append(list, &request) < 0)
		return -ERROR_MEMORY;
	request_refer(request);
	if (list->count <= MOST_LISTED)
		return 0;
	oldest = request_list_take(list, 0);
	oldest->is_ended = true;
	request_drop(oldest);
	return 0;
}

struct request *request_list_take(struct array *list, size_t index)
{
	struct request *request = request_in(list, index);

	array_remove(list, index, 1);
	return request;
}

void request_list_forget_closed(struct array *list)
{
	for (size_t i = list->count; i-- > 0;)
		if (!request_is_open(request_in(list, i)))
			request_drop(request_list_take(list, i));
}

void request_list_free(struct array *list)
{
	while (list->count)
		request_drop(request_list_take(list, list->count - 1));
	array_free(list);
}
