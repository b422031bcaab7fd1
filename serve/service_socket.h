/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_SERVICE_SOCKET_H
#define KT_SERVE_SERVICE_SOCKET_H

/* The rights of the service's clients: who may connect, and which threads each
 * client may have traced. Only this file decides that.
 *
 * 1. Only root and members of the service's group may connect; the peer is
 *    identified by the kernel (SO_PEERCRED), not by its own messages.
 * 2. A peer may have its own threads traced, as long as its process is the one
 *    that connected and has no more rights than it had then.
 * 3. A message that is too long, or has too many descriptors, is refused whole,
 *    and its descriptors are closed.
 *
 * Errors: -ERROR_SYSTEM with errno set; -ERROR_FORMAT for messages.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct log;
struct sockaddr_un;

/* The sockets of the service: messages with descriptors over a Unix socket of
 * type SOCK_SEQPACKET, the socket at which the service listens, and the process
 * at the other end of a connection. Only message_*() and service_address() are
 * used by the service's clients too (inband/service_internal.h, cmd/top.c).
 */

/* The maximum number of descriptors in one message. */
enum { MESSAGE_DESCRIPTORS = 64 };

/* Sends @size bytes at @bytes and the @count descriptors @fds, which the caller
 * still owns. Blocks unless the socket is non-blocking.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set: EPIPE if the other end has
 * closed.
 */
int message_send(int socket, const void *bytes, size_t size, const int *fds,
		 size_t count);

/* Receives a message of at most @room bytes and its *@count descriptors @fds,
 * which the caller closes.
 *
 * Returns its size, 0 if the other end has closed; -ERROR_SYSTEM with errno
 * set; -ERROR_FORMAT if it was longer, or had more descriptors: these are
 * closed then.
 */
int message_receive(int socket, void *bytes, size_t room,
		    int fds[MESSAGE_DESCRIPTORS], size_t *count);

/* Sets @address to that of the socket at @path. Returns false if the path is
 * too long for a socket (unix(7)).
 */
bool service_address(const char *path, struct sockaddr_un *address);

/* The socket at which the service listens. */
struct listening_socket {
	int fd;
	const char *path; /* borrowed; NULL: created by systemd */
};

/* Uses the socket that systemd passes (sd_listen_fds(3)), if there is one.
 * Otherwise creates one at @path, to which root and members of @group may
 * connect, replacing the socket of a service that was killed.
 *
 * Returns 0, or a negative enum error with the reason in @log.
 */
int listening_socket_open(struct listening_socket *listening, const char *path,
			  gid_t group, const struct log *log);

/* Closes the socket, and removes it if listening_socket_open() created it. */
void listening_socket_close(struct listening_socket *listening);

/* The process at the other end of a connection, as reported by the kernel: the
 * process that connected, with its rights at that time (unix(7), SO_PEERCRED).
 */
struct peer {
	pid_t pid;
	uid_t uid;
	gid_t gid;
	int pidfd; /* becomes readable when the process ends */
};

/* Identifies the peer of @connection. Returns 0, or -ERROR_SYSTEM with errno
 * set: ESRCH if it has ended. The caller must close @peer either way.
 */
int peer_find(int connection, struct peer *peer);

void peer_close(struct peer *peer);

/* Returns whether the peer of @connection is root or a member of @group,
 * including by its supplementary groups.
 */
bool peer_is_allowed(const struct peer *peer, int connection, gid_t group);

/* Returns whether thread @tid belongs to the peer's process, and that process
 * is still the one that connected and has no more rights than it had then. A
 * process that became another user, or was given capabilities, by exec belongs
 * to root in /proc (proc(5)).
 */
bool peer_owns_thread(const struct peer *peer, pid_t tid);

#endif
