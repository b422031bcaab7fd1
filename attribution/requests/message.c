/* SPDX-License-Identifier: MIT */
#include "attribution/requests/message.h"

#include "attribution/events/function_marks.h"
#include "attribution/requests/request.h"
#include "common/array.h"
#include "common/error.h"
#include "common/name_lookup.h"
#include "common/number_map.h"

#include <stdlib.h>

/* fs/pipe.c, fs/jbd2/commit.c, drivers/tty/, kernel/workqueue.c, fs/eventfd.c,
 * fs/select.c, fs/eventpoll.c, net/unix/af_unix.c, net/ipv4/, net/core/, lib/, ipc/
 * and kernel/futex/ of Linux 5.10 to 6.15.
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
		[MEDIUM_TTY] = "tty",
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
	hold_drop(message->hold);
	clock_mark_drop(message->begin);
	clock_mark_drop(message->sent);
	hold_drop(message->carrier);
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
	const struct request *request = message->hold->request;

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
