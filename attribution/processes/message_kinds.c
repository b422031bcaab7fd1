/* SPDX-License-Identifier: MIT */
#include "attribution/processes/message_kinds.h"

#include "attribution/time/task_paths.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

struct message_kinds {
	uint32_t count;
	uint8_t kinds[]; /* enum message_kind */
};

/* fs/pipe.c, fs/eventfd.c, fs/select.c, fs/eventpoll.c, net/unix/af_unix.c,
 * net/ipv4/, net/core/ and ipc/ of Linux 5.10 to 6.15.
 */
static const struct {
	const char *name;
	enum message_kind kind;
} functions_known[] = {
	{ "pipe_write", MESSAGE_SEND },
	{ "anon_pipe_write", MESSAGE_SEND },
	{ "fifo_pipe_write", MESSAGE_SEND },
	{ "eventfd_write", MESSAGE_SEND },
	{ "unix_stream_sendmsg", MESSAGE_SEND },
	{ "unix_dgram_sendmsg", MESSAGE_SEND },
	{ "unix_seqpacket_sendmsg", MESSAGE_SEND },
	{ "unix_stream_connect", MESSAGE_SEND },
	{ "do_mq_timedsend", MESSAGE_SEND },
	{ "do_msgsnd", MESSAGE_SEND },
	{ "tcp_sendmsg", MESSAGE_SEND_NETWORK },
	{ "udp_sendmsg", MESSAGE_SEND_NETWORK },
	{ "udpv6_sendmsg", MESSAGE_SEND_NETWORK },
	{ "raw_sendmsg", MESSAGE_SEND_NETWORK },
	{ "tcp_v4_connect", MESSAGE_SEND_NETWORK },
	{ "tcp_v6_connect", MESSAGE_SEND_NETWORK },
	{ "pipe_read", MESSAGE_WAIT },
	{ "anon_pipe_read", MESSAGE_WAIT },
	{ "fifo_pipe_read", MESSAGE_WAIT },
	{ "eventfd_read", MESSAGE_WAIT },
	{ "unix_stream_read_generic", MESSAGE_WAIT },
	{ "__unix_dgram_recvmsg", MESSAGE_WAIT },
	{ "unix_accept", MESSAGE_WAIT },
	{ "tcp_recvmsg", MESSAGE_WAIT },
	{ "udp_recvmsg", MESSAGE_WAIT },
	{ "udpv6_recvmsg", MESSAGE_WAIT },
	{ "inet_csk_accept", MESSAGE_WAIT },
	{ "do_mq_timedreceive", MESSAGE_WAIT },
	{ "do_msgrcv", MESSAGE_WAIT },
	{ "do_sys_poll", MESSAGE_WAIT_MANY },
	{ "do_select", MESSAGE_WAIT_MANY },
	{ "do_epoll_wait", MESSAGE_WAIT_MANY },
	{ "ep_poll", MESSAGE_WAIT_MANY },
};

static enum message_kind find_kind(const char *name)
{
	for (size_t i = 0;
	     i < sizeof(functions_known) / sizeof(*functions_known); i++)
		if (!strcmp(functions_known[i].name, name))
			return functions_known[i].kind;
	return MESSAGE_NONE;
}

struct message_kinds *message_kinds_new(const struct function_table *functions)
{
	uint32_t count = function_count(functions);
	struct message_kinds *kinds = calloc(1, sizeof(*kinds) + count);

	if (!kinds)
		return NULL;
	kinds->count = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct function *function = function_at(functions, i);

		if (function->space == 'k')
			kinds->kinds[i] = (uint8_t)find_kind(function->name);
	}
	return kinds;
}

void message_kinds_free(struct message_kinds *kinds)
{
	free(kinds);
}

enum message_kind message_kind_of(const struct message_kinds *kinds,
				  uint32_t function)
{
	return function < kinds->count ?
		       (enum message_kind)kinds->kinds[function] :
		       MESSAGE_NONE;
}

enum message_kind message_kind_of_path(const struct message_kinds *kinds,
				       const struct path_frame *path,
				       size_t count)
{
	enum message_kind kind = MESSAGE_NONE;

	while (count && kind == MESSAGE_NONE)
		kind = message_kind_of(kinds, path[--count].function);
	return kind;
}
