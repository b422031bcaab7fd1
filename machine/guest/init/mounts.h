/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_MOUNTS_H
#define KT_MACHINE_GUEST_MOUNTS_H

#include "machine/guest/init/problem.h"

/* The layers of the root, as open folders without paths: the host's files, and
 * above them the files written in the machine.
 */
struct layers {
	int host;
	int written;
};

/* All functions return 0, or -1 with the problem. */

/* Mounts /proc, /sys and /dev of the initramfs. */
int mounts_first(struct problem *problem);

/* Makes the host's shared root (9p, read-only) with a tmpfs above it the root,
 * and moves /proc, /sys and /dev there.
 */
int mounts_shared_root(struct layers *layers, struct problem *problem);

/* Mounts the host's root (9p, read-only) at @path if it is not the guest's
 * root.
 */
int mounts_host(const char *path, struct problem *problem);

/* Mounts the other file systems of a booted system: /dev/pts, /dev/shm, /run,
 * tracefs ...
 */
int mounts_rest(struct problem *problem);

/* Mounts the kernel's modules, a folder of the host, at /lib/modules/<release>.
 * The host's root is at @host ("" if it is the root).
 */
int mounts_modules(const char *host, const char *folder,
		   struct problem *problem);

/* Mounts a folder of the host (9p, writable) by its tag at @path, which is
 * created if it is missing.
 */
int mounts_shared(const char *tag, const char *path, struct problem *problem);

/* Creates a folder and its parents. Returns 0, or -1 with errno. */
int mounts_make_path(const char *path);

#endif
