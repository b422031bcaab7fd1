/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_MOUNTS_H
#define KT_MACHINE_GUEST_MOUNTS_H

#include "machine/guest/init/problem.h"

/* This is what the root is made of, open folders that no path leads to: the
 * host's files, and above them those that were written in the machine.
 */
struct layers {
	int host;
	int written;
};

/* All return 0, or -1 with the problem. */

/* /proc, /sys and /dev of the initramfs. */
int mounts_first(struct problem *problem);

/* The root that the host shares (9p, read-only) with a tmpfs above it becomes
 * the root; /proc, /sys, /dev move there.
 */
int mounts_shared_root(struct layers *layers, struct problem *problem);

/* The host's own root (9p, read-only) at @path, when it is not the root. */
int mounts_host(const char *path, struct problem *problem);

/* What a booted system has besides: /dev/pts, /dev/shm, /run, tracefs ... */
int mounts_rest(struct problem *problem);

/* The kernel's modules, a folder of the host, whose root is at @host (""), at
 * /lib/modules/<release>.
 */
int mounts_modules(const char *host, const char *folder,
		   struct problem *problem);

/* A folder of the host (9p, writable) by its tag, at `path`, which is made
 * if it is missing.
 */
int mounts_shared(const char *tag, const char *path, struct problem *problem);

/* Makes a folder and those above it.  Returns 0 or -1 with errno. */
int mounts_make_path(const char *path);

#endif
