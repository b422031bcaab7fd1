/* SPDX-License-Identifier: MIT */
#include "serve/peer.h"
#include "common/error.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Since Linux 6.5 (asm-generic/socket.h). */
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* Before 6.5, the number may have been reused by another process of the same
 * user, which peer_owns_thread() ensures.
 */
static int open_pidfd(int connection, pid_t pid)
{
	socklen_t size = sizeof(int);
	int fd = -1;

	if (!getsockopt(connection, SOL_SOCKET, SO_PEERPIDFD, &fd, &size))
		return fd;
	return errno == ENOPROTOOPT ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
}

int peer_find(int connection, struct peer *peer)
{
	struct ucred credentials;
	socklen_t size = sizeof(credentials);

	*peer = (struct peer){ .pidfd = -1 };
	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials,
		       &size))
		return -ERROR_SYSTEM;
	peer->pid = credentials.pid;
	peer->uid = credentials.uid;
	peer->gid = credentials.gid;
	peer->pidfd = open_pidfd(connection, peer->pid);
	return peer->pidfd < 0 ? -ERROR_SYSTEM : 0;
}

void peer_close(struct peer *peer)
{
	if (peer->pidfd >= 0)
		close(peer->pidfd);
	peer->pidfd = -1;
}

/* Checks the peer's supplementary groups at the time it connected
 * (SO_PEERGROUPS).
 */
static bool has_group(int connection, gid_t group)
{
	socklen_t size = 0;
	gid_t *groups;
	bool found = false;

	/* The kernel returns the required size. */
	if (!getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, NULL, &size) ||
	    errno != ERANGE)
		return false;
	groups = malloc(size);
	if (groups &&
	    !getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, groups, &size))
		for (size_t i = 0; i < size / sizeof(*groups); i++)
			found |= groups[i] == group;
	free(groups);
	return found;
}

bool peer_is_allowed(const struct peer *peer, int connection, gid_t group)
{
	return !peer->uid || peer->gid == group || has_group(connection, group);
}

static bool has_ended(const struct peer *peer)
{
	struct pollfd polled = { .fd = peer->pidfd, .events = POLLIN };

	return poll(&polled, 1, 0) != 0;
}

/* Folders in /proc belong to the user in any case, unlike their contents
 * (task_dump_owner() in fs/proc/base.c).
 */
bool peer_owns_thread(const struct peer *peer, pid_t tid)
{
	struct stat thread;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)peer->pid,
		 (int)tid);
	return !stat(path, &thread) && thread.st_uid == peer->uid &&
	       !has_ended(peer);
}
