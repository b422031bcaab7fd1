/* SPDX-License-Identifier: MIT */
#include "serve/service_socket.h"

#include "common/budget.h"
#include "common/error.h"
#include "common/log.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(MESSAGE_DESCRIPTORS * sizeof(int))];
};

int message_send(int socket, const void *bytes, size_t size, const int *fds,
		 size_t count)
{
	union control control = { 0 };
	struct iovec part = { (void *)(uintptr_t)bytes, size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	assert(count <= MESSAGE_DESCRIPTORS);
	if (count) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)size ?
		       0 :
		       -ERROR_SYSTEM;
}

static size_t consume_descriptors(struct msghdr *message,
				  int fds[MESSAGE_DESCRIPTORS])
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	size_t size;

	if (!header || header->cmsg_level != SOL_SOCKET ||
	    header->cmsg_type != SCM_RIGHTS)
		return 0;
	size = header->cmsg_len - CMSG_LEN(0);
	memcpy(fds, CMSG_DATA(header), size);
	return size / sizeof(int);
}

int message_receive(int socket, void *bytes, size_t room,
		    int fds[MESSAGE_DESCRIPTORS], size_t *count)
{
	union control control;
	struct iovec part = { bytes, room };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);

	*count = 0;
	if (size < 0)
		return -ERROR_SYSTEM;
	*count = consume_descriptors(&message, fds);
	if (!(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return (int)size;
	while (*count)
		close(fds[--*count]);
	return -ERROR_FORMAT;
}

bool service_address(const char *path, struct sockaddr_un *address)
{
	size_t length = strlen(path);

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (length >= sizeof(address->sun_path))
		return false;
	memcpy(address->sun_path, path, length);
	return true;
}

enum { BACKLOG = 2 * BUDGET_SERVE_WAITING, SYSTEMD_FIRST = 3 };

static int fail(const char *path, const char *reason, const struct log *log)
{
	log_message(log, LOG_ERROR, path, LOG_NO_OFFSET, "%s", reason);
	return -ERROR_SYSTEM;
}

static bool is_handed_over(void)
{
	const char *pid = getenv("LISTEN_PID");
	const char *count = getenv("LISTEN_FDS");

	return pid && count && strtol(pid, NULL, 10) == getpid() &&
	       !strcmp(count, "1");
}

static int option_of(int fd, int name)
{
	socklen_t size = sizeof(int);
	int value = -1;

	return getsockopt(fd, SOL_SOCKET, name, &value, &size) ? -1 : value;
}

static int consume_over(struct listening_socket *listening,
			const struct log *log)
{
	listening->fd = SYSTEMD_FIRST;
	if (option_of(SYSTEMD_FIRST, SO_DOMAIN) != AF_UNIX ||
	    option_of(SYSTEMD_FIRST, SO_TYPE) != SOCK_SEQPACKET ||
	    option_of(SYSTEMD_FIRST, SO_ACCEPTCONN) != 1)
		return fail(NULL,
			    "what systemd hands over is no listening Unix "
			    "socket for packets: the unit of the socket has "
			    "to say ListenSequentialPacket=",
			    log);
	fcntl(SYSTEMD_FIRST, F_SETFD, FD_CLOEXEC);
	fcntl(SYSTEMD_FIRST, F_SETFL, O_NONBLOCK);
	return 0;
}

/* Removes the socket that a killed service left at @address. Returns 0, even if
 * there is no file; -ERROR_SYSTEM, logged, if a process may listen there, if
 * the file is not a socket, or if it cannot be removed.
 */
static int remove_left(const struct sockaddr_un *address, const struct log *log)
{
	struct stat stat;
	int probe;
	int error;

	if (lstat(address->sun_path, &stat))
		return 0;
	if (!S_ISSOCK(stat.st_mode))
		return fail(address->sun_path,
			    "is there and is no socket: choose another place "
			    "with --socket",
			    log);
	probe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
		       0);
	if (probe < 0)
		return fail(address->sun_path, strerror(errno), log);
	error = connect(probe, (const void *)address, sizeof(*address));
	if (error && errno != ECONNREFUSED)
		error = 0;
	close(probe);
	if (!error)
		return fail(address->sun_path,
			    "another service listens there: choose another "
			    "place with --socket",
			    log);
	return unlink(address->sun_path) ?
		       fail(address->sun_path, strerror(errno), log) :
		       0;
}

/* Binds the socket so that only root may connect, until its group is set. */
static int bind_for(int fd, const struct sockaddr_un *address, gid_t group)
{
	mode_t before = umask(0177);
	int error = bind(fd, (const void *)address, sizeof(*address));

	umask(before);
	if (error)
		return -ERROR_SYSTEM;
	if (chown(address->sun_path, (uid_t)-1, group) ||
	    chmod(address->sun_path, 0660) || listen(fd, BACKLOG)) {
		int cause = errno;

		unlink(address->sun_path);
		errno = cause;
		return -ERROR_SYSTEM;
	}
	return 0;
}

/* Returns whether only root and this user can change the content of the folder
 * with @status. @is_way: the folder is an ancestor of the socket's folder. A
 * sticky folder such as /tmp is then private enough, since other users cannot
 * rename its entries.
 */
static bool is_private(const struct stat *status, bool is_way)
{
	bool is_ours = !status->st_uid || status->st_uid == geteuid();
	bool is_written = status->st_mode & (S_IWGRP | S_IWOTH);

	return is_ours &&
	       (!is_written || (is_way && status->st_mode & S_ISVTX));
}

/* Returns whether no other user can replace the socket: checks @folder, an
 * absolute path without symbolic links, and its ancestors up to the root.
 * Modifies @folder.
 */
static bool is_safe(char *folder)
{
	bool is_way = false;

	for (;; is_way = true) {
		const char *name = *folder ? folder : "/";
		struct stat status;

		if (stat(name, &status) || !is_private(&status, is_way))
			return false;
		if (!*folder || !strcmp(folder, "/"))
			return true;
		*strrchr(folder, '/') = '\0';
	}
}

/* Checks the folder of the socket, because clients trust any process that
 * listens at this path to be the service.
 */
static int check_folder(const char *path, const struct log *log)
{
	const char *end = strrchr(path, '/');
	char *name = !end	 ? strdup(".") :
		     end == path ? strdup("/") :
				   strndup(path, (size_t)(end - path));
	char *folder = name ? realpath(name, NULL) : NULL;
	int error = 0;

	if (!folder)
		error = fail(path, strerror(errno), log);
	else if (!is_safe(folder))
		error = fail(path,
			     "others can write in its folder, or in one that "
			     "leads there: choose another place with --socket",
			     log);
	free(folder);
	free(name);
	return error;
}

static int make(struct listening_socket *listening, const char *path,
		gid_t group, const struct log *log)
{
	struct sockaddr_un address;
	int error;

	if (!service_address(path, &address))
		return fail(path, "is too long a path for a socket", log);
	error = check_folder(path, log);
	if (!error)
		error = remove_left(&address, log);
	if (error)
		return error;
	listening->fd = socket(
		AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listening->fd < 0 || bind_for(listening->fd, &address, group))
		return fail(path, strerror(errno), log);
	listening->path = path;
	return 0;
}

int listening_socket_open(struct listening_socket *listening, const char *path,
			  gid_t group, const struct log *log)
{
	*listening = (struct listening_socket){ .fd = -1 };
	return is_handed_over() ? consume_over(listening, log) :
				  make(listening, path, group, log);
}

void listening_socket_close(struct listening_socket *listening)
{
	if (listening->path)
		unlink(listening->path);
	if (listening->fd >= 0)
		close(listening->fd);
	*listening = (struct listening_socket){ .fd = -1 };
}

/* Since Linux 6.5 (asm-generic/socket.h). */
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* Returns a pidfd of the connected process; -1 with errno on failure. Before
 * Linux 6.5, @pid may already belong to another process; peer_owns_thread()
 * checks that it has the same user.
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

/* Returns whether @group was one of the peer's supplementary groups when it
 * connected (SO_PEERGROUPS).
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

/* Checks a file, because the folders of a process in /proc always belong to its
 * user, but the files in them belong to root if exec gave the process more
 * rights (task_dump_owner() in fs/proc/base.c).
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
