/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

#include "machine/guest/init/copy_tree.h"
#include "machine/guest/init/mounts.h"

static int open_one(struct results *results, const char *path,
		    struct problem *problem)
{
	char tag[32];
	size_t number = results->count;

	snprintf(tag, sizeof(tag), "results%zu", number);
	if (mounts_shared(tag, path, problem))
		return -1;
	results->fds[number] = open(path, O_RDONLY | O_CLOEXEC);
	if (results->fds[number] < 0)
		return problem_set(problem, "cannot open %s", path);
	results->count++;
	return 0;
}

/* In a separate tmpfs: writing below the root is more work, which a tracer
 * would see.
 */
static int open_late(const struct settings *settings, struct problem *problem)
{
	size_t i;

	if (results_make_folders(settings, problem))
		return -1;
	for (i = 0; i < settings->results_count; i++) {
		if (mount("none", settings->results[i], "tmpfs", 0,
			  "mode=0700"))
			return problem_set(problem, "cannot mount %s",
					   settings->results[i]);
	}
	return 0;
}

int results_open(struct results *results, const struct settings *settings,
		 struct problem *problem)
{
	size_t i;

	results->count = 0;
	if (settings->late_results)
		return open_late(settings, problem);
	for (i = 0; i < settings->results_count; i++) {
		if (open_one(results, settings->results[i], problem))
			return -1;
	}
	return 0;
}

static int finish_one(int fd, const char *path, struct problem *problem)
{
	int failed = syncfs(fd);

	if (close(fd) || failed)
		return problem_set(problem, "not all of %s reached the host",
				   path);
	/* The last references disappear with the command's processes. */
	if (umount2(path, 0) && errno != EBUSY)
		return problem_set(problem, "cannot give %s back", path);
	return 0;
}

int results_finish(struct results *results, const struct settings *settings,
		   struct problem *problem)
{
	int result = 0;
	size_t i;

	if (settings->late_results)
		return results_copy(settings, problem);
	/* In reverse order, because a later folder may be within an earlier
	 * one.
	 */
	for (i = results->count; i-- > 0;) {
		if (finish_one(results->fds[i], settings->results[i], problem))
			result = -1;
	}
	return result;
}

int results_make_folders(const struct settings *settings,
			 struct problem *problem)
{
	size_t i;

	for (i = 0; i < settings->results_count; i++) {
		if (mounts_make_path(settings->results[i]))
			return problem_set(problem, "cannot make %s",
					   settings->results[i]);
	}
	return 0;
}

static int copy_one(const char *path, size_t number, struct problem *problem)
{
	char tag[32];
	int result;
	int fd;

	snprintf(tag, sizeof(tag), "results%zu", number);
	if (mounts_shared(tag, "/host-results", problem))
		return -1;
	fd = open("/host-results", O_RDONLY | O_CLOEXEC);
	result = copy_tree(path, "/host-results");
	if (result)
		problem_set(problem, "cannot copy %s to the host", path);
	if (finish_one(fd, "/host-results", problem))
		result = -1;
	return result;
}

int results_copy(const struct settings *settings, struct problem *problem)
{
	size_t i;

	for (i = 0; i < settings->results_count; i++) {
		if (copy_one(settings->results[i], i, problem))
			return -1;
	}
	return 0;
}
