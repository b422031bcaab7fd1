/* SPDX-License-Identifier: MIT */
#include "attribution/requests/message_kinds.h"

#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

struct message_kinds {
	uint32_t count;
	struct message_function functions[];
};

/* fs/pipe.c, fs/eventfd.c, fs/select.c, fs/eventpoll.c, net/unix/af_unix.c,
 * net/ipv4/, net/core/, ipc/ and kernel/futex/ of Linux 5.10 to 6.15.
 */
static const struct {
	const char *name;
	struct message_function function;
} known[] = {
	{ "pipe_write", { MESSAGE_SEND, MEDIUM_PIPE } },
	{ "anon_pipe_write", { MESSAGE_SEND, MEDIUM_PIPE } },
	{ "fifo_pipe_write", { MESSAGE_SEND, MEDIUM_PIPE } },
	{ "eventfd_write", { MESSAGE_SEND, MEDIUM_EVENTFD } },
	{ "unix_stream_sendmsg", { MESSAGE_SEND, MEDIUM_UNIX } },
	{ "unix_dgram_sendmsg", { MESSAGE_SEND, MEDIUM_UNIX } },
	{ "do_mq_timedsend", { MESSAGE_SEND, MEDIUM_QUEUE } },
	{ "do_msgsnd", { MESSAGE_SEND, MEDIUM_QUEUE } },
	{ "tcp_sendmsg", { MESSAGE_SEND, MEDIUM_TCP } },
	{ "udp_sendmsg", { MESSAGE_SEND, MEDIUM_UDP } },
	{ "udpv6_sendmsg", { MESSAGE_SEND, MEDIUM_UDP } },
	{ "raw_sendmsg", { MESSAGE_SEND, MEDIUM_UDP } },
	{ "unix_stream_connect", { MESSAGE_CONNECT, MEDIUM_UNIX } },
	{ "tcp_v4_connect", { MESSAGE_CONNECT, MEDIUM_TCP } },
	{ "tcp_v6_connect", { MESSAGE_CONNECT, MEDIUM_TCP } },
	{ "futex_wake", { MESSAGE_SIGNAL, MEDIUM_FUTEX } },
	{ "futex_wake_op", { MESSAGE_SIGNAL, MEDIUM_FUTEX } },
	{ "futex_requeue", { MESSAGE_SIGNAL, MEDIUM_FUTEX } },
	{ "pipe_read", { MESSAGE_WAIT, MEDIUM_PIPE } },
	{ "anon_pipe_read", { MESSAGE_WAIT, MEDIUM_PIPE } },
	{ "fifo_pipe_read", { MESSAGE_WAIT, MEDIUM_PIPE } },
	{ "eventfd_read", { MESSAGE_WAIT, MEDIUM_EVENTFD } },
	{ "unix_stream_read_generic", { MESSAGE_WAIT, MEDIUM_UNIX } },
	{ "__unix_dgram_recvmsg", { MESSAGE_WAIT, MEDIUM_UNIX } },
	{ "tcp_recvmsg", { MESSAGE_WAIT, MEDIUM_TCP } },
	{ "udp_recvmsg", { MESSAGE_WAIT, MEDIUM_UDP } },
	{ "udpv6_recvmsg", { MESSAGE_WAIT, MEDIUM_UDP } },
	{ "do_mq_timedreceive", { MESSAGE_WAIT, MEDIUM_QUEUE } },
	{ "do_msgrcv", { MESSAGE_WAIT, MEDIUM_QUEUE } },
	{ "unix_accept", { MESSAGE_ACCEPT, MEDIUM_UNIX } },
	{ "inet_csk_accept", { MESSAGE_ACCEPT, MEDIUM_TCP } },
	{ "do_sys_poll", { MESSAGE_MANY, MEDIUM_UNKNOWN } },
	{ "do_select", { MESSAGE_MANY, MEDIUM_UNKNOWN } },
	{ "do_epoll_wait", { MESSAGE_MANY, MEDIUM_UNKNOWN } },
	{ "ep_poll", { MESSAGE_MANY, MEDIUM_UNKNOWN } },
	{ "futex_wait", { MESSAGE_WORD, MEDIUM_FUTEX } },
	{ "__futex_wait", { MESSAGE_WORD, MEDIUM_FUTEX } },
	{ "futex_wait_multiple", { MESSAGE_WORD, MEDIUM_FUTEX } },
};

static struct message_function find(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].name, name))
			return known[i].function;
	return (struct message_function){ MESSAGE_NONE, MEDIUM_UNKNOWN };
}

const char *message_medium_name(enum message_medium medium)
{
	static const char *const names[MEDIA] = {
		[MEDIUM_UNKNOWN] = "",	      [MEDIUM_PIPE] = "pipe",
		[MEDIUM_EVENTFD] = "eventfd", [MEDIUM_QUEUE] = "queue",
		[MEDIUM_UNIX] = "unix",	      [MEDIUM_TCP] = "tcp",
		[MEDIUM_UDP] = "udp",	      [MEDIUM_FUTEX] = "futex",
	};

	return names[medium];
}

struct message_kinds *message_kinds_new(const struct function_table *functions)
{
	uint32_t count = function_count(functions);
	struct message_kinds *kinds =
		calloc(1, sizeof(*kinds) + count * sizeof(*kinds->functions));

	if (!kinds)
		return NULL;
	kinds->count = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct function *function = function_at(functions, i);

		if (function->space == 'k')
			kinds->functions[i] = find(function->name);
	}
	return kinds;
}

void message_kinds_free(struct message_kinds *kinds)
{
	free(kinds);
}

struct message_function message_kinds_of(const struct message_kinds *kinds,
					 uint32_t function)
{
	return function < kinds->count ?
		       kinds->functions[function] :
		       (struct message_function){ MESSAGE_NONE,
						  MEDIUM_UNKNOWN };
}
