/* SPDX-License-Identifier: MIT */
/* Runs functions that count their calls, as a program whose file is hard to
 * find: named MODE [PATH [SECONDS]]
 *
 *	run	does it at once
 *	memfd	runs a copy that is only in memory
 *	deleted	removes its own file first
 *	pivot	runs a copy at PATH below a new root, in a new mount namespace
 *	overlay	like pivot, but the new root is an overlay
 *	chroot	runs a copy at PATH below another root
 *
 * SECONDS is how long it runs at least. Prints "FUNCTION CALLS", a line each.
 * The functions are compiled so that each call is one.
 */
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define COUNTED static __attribute__((noinline, noclone, noipa))

enum { ROUNDS = 61 };

static unsigned int mixes;
static unsigned int walks;
static unsigned int folds;
static unsigned int rounds;

COUNTED unsigned int mix(unsigned int value)
{
	mixes++;
	for (int i = 0; i < 40; i++)
		value = (value ^ value >> 15) * 0x85ebca6b + (unsigned int)i;
	return value;
}

/* A tail call of mix(), and a cold part that never runs. */
COUNTED unsigned int fold(unsigned int value)
{
	folds++;
	if (__builtin_expect(value == 0xdeadbeef, 0)) {
		fprintf(stderr, "%u\n", value);
		abort();
	}
	return mix(value + 1);
}

COUNTED unsigned int walk(unsigned int value, int depth)
{
	walks++;
	if (!depth)
		return fold(value);
	return walk(value, depth - 1) ^ walk(value + 1, depth - 1);
}

COUNTED unsigned int round_of(unsigned int value)
{
	rounds++;
	return walk(value, 5) ^ mix(value);
}

static int run(const char *seconds)
{
	time_t end = time(NULL) + atoi(seconds);
	unsigned int value = 1;

	do
		for (int i = 0; i < ROUNDS; i++)
			value = round_of(value);
	while (time(NULL) < end);
	printf("mix %u\nfold %u\nwalk %u\nround_of %u\n", mixes, folds, walks,
	       rounds);
	return value == 0;
}

static void need(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	exit(1);
}

static int copy_to(int to)
{
	int from = open("/proc/self/exe", O_RDONLY);
	struct stat stat;

	need(from >= 0 && to >= 0 && !fstat(from, &stat), "open");
	while (stat.st_size > 0) {
		ssize_t part = sendfile(to, from, NULL, (size_t)stat.st_size);

		need(part > 0, "sendfile");
		stat.st_size -= part;
	}
	close(from);
	return to;
}

static void run_from_memory(void)
{
	char name[] = "named";
	char mode[] = "run";
	char *const arguments[] = { name, mode, NULL };
	int copy = copy_to(memfd_create("in memory", MFD_CLOEXEC));

	fexecve(copy, arguments, environ);
	need(0, "fexecve");
}

static void make_folders(const char *path)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", path);
	for (char *slash = strchr(folder + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(folder, 0755);
		*slash = '/';
	}
}

/* Copies this program to @root/@path. */
static void copy_below(const char *root, const char *path)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s%s", root, path);
	make_folders(name);
	close(copy_to(open(name, O_WRONLY | O_CREAT | O_EXCL, 0755)));
}

static void execute(const char *path, const char *seconds)
{
	execl(path, path, "run", path, seconds, NULL);
	need(0, path);
}

static void enter_namespace(void)
{
	need(!unshare(CLONE_NEWNS), "unshare");
	need(!mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "private");
	need(!mount("tmpfs", "/mnt", "tmpfs", 0, NULL), "tmpfs");
}

static void pivot(const char *root)
{
	need(!chdir(root), root);
	mkdir("old", 0755);
	need(!syscall(SYS_pivot_root, ".", "old"), "pivot_root");
	need(!chdir("/") && !umount2("/old", MNT_DETACH), "umount");
}

static void run_below_root(const char *path, const char *seconds)
{
	enter_namespace();
	mkdir("/mnt/root", 0755);
	need(!mount("tmpfs", "/mnt/root", "tmpfs", 0, NULL), "tmpfs");
	copy_below("/mnt/root", path);
	pivot("/mnt/root");
	execute(path, seconds);
}

static void run_in_overlay(const char *path, const char *seconds)
{
	static const char *const folders[] = { "/mnt/lower", "/mnt/upper",
					       "/mnt/work", "/mnt/root" };

	enter_namespace();
	for (int i = 0; i < 4; i++)
		mkdir(folders[i], 0755);
	copy_below("/mnt/lower", path);
	need(!mount("overlay", "/mnt/root", "overlay", 0,
		    "lowerdir=/mnt/lower,upperdir=/mnt/upper,"
		    "workdir=/mnt/work"),
	     "overlay");
	pivot("/mnt/root");
	execute(path, seconds);
}

static void run_in_chroot(const char *path, const char *seconds)
{
	char root[] = "/dev/shm/chroot.XXXXXX";

	need(mkdtemp(root) != NULL, root);
	copy_below(root, path);
	need(!chroot(root) && !chdir("/"), "chroot");
	execute(path, seconds);
}

int main(int count, char **words)
{
	const char *mode = count > 1 ? words[1] : "run";
	const char *seconds = count > 3 ? words[3] : "0";
	char own[PATH_MAX] = "";

	if (!strcmp(mode, "memfd"))
		run_from_memory();
	if (!strcmp(mode, "deleted"))
		need(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0 &&
			     !unlink(own),
		     "unlink");
	if (count > 2 && !strcmp(mode, "pivot"))
		run_below_root(words[2], seconds);
	if (count > 2 && !strcmp(mode, "overlay"))
		run_in_overlay(words[2], seconds);
	if (count > 2 && !strcmp(mode, "chroot"))
		run_in_chroot(words[2], seconds);
	return run(seconds);
}
