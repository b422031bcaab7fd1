/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_LISTENING_SOCKET_H
#define KT_SERVE_LISTENING_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

struct log;

/* Where the service is reached. */
struct listening_socket {
	int fd;
	const char *path; /* borrowed; NULL: systemd's, who made it */
};

/* Takes the socket that systemd hands over (sd_listen_fds(3)), if it does; else
 * makes one at @path, which root and members of @group may connect to, in the
 * place of one that a service left behind which was killed.
 *
 * Returns 0, or a negative enum error with the reason in @log.
 */
int listening_socket_open(struct listening_socket *listening, const char *path,
			  gid_t group, const struct log *log);

/* Closes it, and removes what it made. */
void listening_socket_close(struct listening_socket *listening);

#endif
