/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_PEER_H
#define KT_SERVE_PEER_H

#include <stdbool.h>
#include <sys/types.h>

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
