/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording_files.h"
#include "common/error.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Finds files in the folder of a recording. */
struct finder {
	const char *folder;
	struct arena *arena;
	const struct log *log;
};

/* Returns whether such a file exists. Rejects a symbolic link made by another
 * user, because it could lead to any file that this user may read.
 */
static bool is_there(struct finder finder, const char *path, const char *name)
{
	int folder = open(finder.folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int file = folder < 0 ? -1 : trusted_path_open(folder, name);

	if (file < 0 && errno == EPERM)
		log_message(finder.log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "another user made a link there: it is not read");
	if (file >= 0)
		close(file);
	if (folder >= 0)
		close(folder);
	return file >= 0;
}

/* Returns "<folder>/<name>" if that file exists, else NULL. */
static const char *find(struct finder finder, const char *name)
{
	char path[4096];
	int length = snprintf(path, sizeof(path), "%s/%s", finder.folder, name);

	if (length < 0 || (size_t)length >= sizeof(path) ||
	    !is_there(finder, path, name))
		return NULL;
	return arena_text(finder.arena, path, (size_t)length);
}

/* Like find(), but returns an absolute path, as user programs have. */
static const char *find_absolute(struct finder finder, const char *name)
{
	const char *path = find(finder, name);
	char absolute[PATH_MAX];

	if (!path || !realpath(path, absolute))
		return NULL;
	return arena_text(finder.arena, absolute, strlen(absolute));
}

static bool find_snapshot(struct recording_files *files, struct finder finder)
{
	files->data = find(finder, "snapshot.ini");
	files->is_snapshot = files->data;
	files->kallsyms = find(finder, "kallsyms");
	files->modules = find(finder, "modules");
	return files->is_snapshot;
}

static int say_why_not(struct finder finder, const struct log *log)
{
	if (access(finder.folder, X_OK) < 0) {
		log_message(log, LOG_ERROR, finder.folder, LOG_NO_OFFSET,
			    "cannot be read: %s", strerror(errno));
		return -ERROR_SYSTEM;
	}
	log_message(log, LOG_ERROR, finder.folder, LOG_NO_OFFSET,
		    "a directory without a file called data: %s",
		    find(finder, "kcore_dir") ?
			    "this recording was not finished: its recorder "
			    "was killed, or could not write, before it began "
			    "to trace" :
			    "no recording");
	return -ERROR_NOT_FOUND;
}

/* perf record --kcore puts the copies into a subfolder of the directory. */
int recording_files_find(struct recording_files *files, struct arena *arena,
			 const struct log *log)
{
	struct finder finder = {
		.folder = files->path,
		.arena = arena,
		.log = log,
	};
	struct stat stat_of_path;

	files->data = files->path;
	if (stat(files->path, &stat_of_path) < 0 ||
	    !S_ISDIR(stat_of_path.st_mode))
		return 0;
	files->data = find(finder, "data");
	files->kcore = find(finder, "kcore_dir/kcore");
	files->kcore_end = find(finder, "kcore_dir/kcore_end");
	files->kallsyms = find(finder, "kcore_dir/kallsyms");
	files->modules = find(finder, "kcore_dir/modules");
	files->cgroups = find(finder, "kcore_dir/cgroups");
	files->cgroups_end = find(finder, "kcore_dir/cgroups_end");
	files->sockets = find(finder, "kcore_dir/sockets");
	files->clock = find(finder, "kcore_dir/clock");
	files->vdso = find_absolute(finder, "kcore_dir/vdso");
	files->code = find(finder, "code");
	files->trace_dat = find(finder, "trace.dat");
	if (files->data || find_snapshot(files, finder))
		return 0;
	return say_why_not(finder, log);
}
