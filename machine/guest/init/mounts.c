/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* msize: the maximum of the virtio transport, for fewer round trips.
 * cache=loose: host files must not change while the guest runs; the guest would
 * not notice (docs/machine.md).
 */
#define SHARE "trans=virtio,version=9p2000.L,msize=512000,cache=loose"

struct mount_point {
	const char *type;
	const char *path;
	unsigned long flags;
	const char *options;
};

static int mount_one(const struct mount_point *point, struct problem *problem)
{
	mkdir(point->path, 0755);
	if (mount(point->type, point->path, point->type, point->flags,
		  point->options) &&
	    errno != EBUSY)
		return problem_set(problem, "cannot mount %s on %s",
				   point->type, point->path);
	return 0;
}

static int mount_all(const struct mount_point *points, size_t count,
		     struct problem *problem)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (mount_one(&points[i], problem))
			return -1;
	}
	return 0;
}

int mounts_first(struct problem *problem)
{
	static const struct mount_point points[] = {
		{ "proc", "/proc", 0, "" },
		{ "sysfs", "/sys", 0, "" },
		{ "devtmpfs", "/dev", 0, "mode=0755" },
	};

	return mount_all(points, COUNT(points), problem);
}

int mounts_rest(struct problem *problem)
{
	static const struct mount_point points[] = {
		{ "devpts", "/dev/pts", 0, "gid=5,mode=620,ptmxmode=666" },
		{ "tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777" },
		{ "tmpfs", "/run", MS_NOSUID | MS_NODEV, "mode=0755" },
		{ "tracefs", "/sys/kernel/tracing", 0, "" },
		{ "debugfs", "/sys/kernel/debug", 0, "" },
		{ "cgroup2", "/sys/fs/cgroup", 0, "" },
	};

	if (mount_all(points, COUNT(points), problem))
		return -1;
	/* devtmpfs has the devices but not the links that udev creates. */
	if (symlink("/proc/self/fd", "/dev/fd") ||
	    symlink("/proc/self/fd/0", "/dev/stdin") ||
	    symlink("/proc/self/fd/1", "/dev/stdout") ||
	    symlink("/proc/self/fd/2", "/dev/stderr"))
		return problem_set(problem, "cannot make links in /dev");
	return 0;
}

static int move_mounts(const char *const *paths, size_t count, const char *root,
		       struct problem *problem)
{
	char target[64];
	size_t i;

	for (i = 0; i < count; i++) {
		snprintf(target, sizeof(target), "%s%s", root, paths[i]);
		if (mount(paths[i], target, NULL, MS_MOVE, NULL))
			return problem_set(problem, "cannot move %s", paths[i]);
	}
	return 0;
}

static int become_root(const char *root, struct problem *problem)
{
	if (chdir(root) || mount(".", "/", NULL, MS_MOVE, NULL) ||
	    chroot(".") || chdir("/"))
		return problem_set(problem, "cannot change the root to %s",
				   root);
	return 0;
}

static int open_layers(struct layers *layers, struct problem *problem)
{
	layers->host = open("/below", O_PATH | O_DIRECTORY | O_CLOEXEC);
	layers->written =
		open("/above/files", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return layers->host < 0 || layers->written < 0 ?
		       problem_set(problem, "cannot open the root's layers") :
		       0;
}

int mounts_shared_root(struct layers *layers, struct problem *problem)
{
	static const char *const moved[] = { "/proc", "/sys", "/dev" };
	static const struct mount_point above = { "tmpfs", "/above", 0, "" };
	static const struct mount_point joined = {
		"overlay",
		"/joined",
		0,
		"lowerdir=/below,upperdir=/above/files,workdir=/above/work",
	};

	mkdir("/below", 0755);
	if (mount("root", "/below", "9p", MS_RDONLY, SHARE))
		return problem_set(problem, "cannot mount the root");
	if (mount_one(&above, problem))
		return -1;
	if (mkdir("/above/files", 0755) || mkdir("/above/work", 0755))
		return problem_set(problem, "cannot make the upper folder");
	if (mount_one(&joined, problem) || open_layers(layers, problem) ||
	    move_mounts(moved, COUNT(moved), "/joined", problem))
		return -1;
	return become_root("/joined", problem);
}

int mounts_host(const char *path, struct problem *problem)
{
	if ((mkdir(path, 0755) && errno != EEXIST) ||
	    mount("host", path, "9p", MS_RDONLY, SHARE))
		return problem_set(problem, "cannot mount the host's root");
	return 0;
}

int mounts_make_path(const char *path)
{
	char copy[PATH_MAX];
	char *slash = copy;

	if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		if (mkdir(copy, 0755) && errno != EEXIST)
			return -1;
		*slash = '/';
	}
	return mkdir(copy, 0755) && errno != EEXIST ? -1 : 0;
}

int mounts_modules(const char *host, const char *folder,
		   struct problem *problem)
{
	char path[256];
	char from[PATH_MAX];
	struct utsname name;

	uname(&name);
	snprintf(path, sizeof(path), "/lib/modules/%s", name.release);
	snprintf(from, sizeof(from), "%s%s", host, folder);
	if (mounts_make_path(path) || mount(from, path, NULL, MS_BIND, NULL))
		return problem_set(problem, "cannot show %s at %s", from, path);
	return 0;
}

int mounts_shared(const char *tag, const char *path, struct problem *problem)
{
	if (mounts_make_path(path) || mount(tag, path, "9p", 0, SHARE))
		return problem_set(problem, "cannot mount the host's %s", path);
	return 0;
}
