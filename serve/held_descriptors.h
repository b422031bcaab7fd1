/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_HELD_DESCRIPTORS_H
#define KT_SERVE_HELD_DESCRIPTORS_H

#include <stdbool.h>

/* Shows whether descriptors that were passed to another process are still open
 * anywhere, after this process has closed its own.
 *
 * The other process may duplicate a descriptor, map it, or pass it to others,
 * so neither its connection nor its own end shows that nobody holds it any
 * more. An epoll instance does: it refers to the open file description without
 * holding it, and the kernel removes the entry with the last reference to the
 * description, which a descriptor, a mapping and a message in a socket each
 * have (epoll(7), "Will closing a file descriptor cause it to be removed from
 * all epoll interest lists?"). /proc/self/fdinfo lists the entries that are
 * left (proc_pid_fdinfo(5)).
 *
 * Only descriptors that can be polled can be watched: perf's events, pipes,
 * sockets, but no regular files.
 */
struct held_descriptors {
	int epoll; /* -1: not open */
};

#define HELD_DESCRIPTORS_NONE ((struct held_descriptors){ -1 })

/* Opens @held without any descriptors. Returns 0 or -ERROR_SYSTEM with errno
 * set, as does held_descriptors_add(). The caller must close @held either way.
 */
int held_descriptors_open(struct held_descriptors *held);
void held_descriptors_close(struct held_descriptors *held);

/* Watches @fd. Must precede passing it on. */
int held_descriptors_add(const struct held_descriptors *held, int fd);

/* Returns whether any process, this one included, holds one of the watched
 * descriptors; true also if that cannot be found out.
 */
bool held_descriptors_any(const struct held_descriptors *held);

#endif
