/* SPDX-License-Identifier: MIT */
#include "attribution/requests/message_kinds.h"

#include "attribution/events/function_marks.h"
#include "common/maps.h"

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
