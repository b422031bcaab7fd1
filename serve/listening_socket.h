/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_LISTENING_SOCKET_H
#define KT_SERVE_LISTENING_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

struct log;

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

#endif
