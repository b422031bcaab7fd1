/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording_files.h"
#include "common/arena.h"
#include "common/error.h"
#include "common/log.h"
#include "decoder/recording/recording_parts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns "<folder>/<name>" if there is such a file, else NULL. */
static const char *find_beside(struct recording *recording, const char *name)
{
	char path[4096];
	int length =
		snprintf(path, sizeof(path), "%s/%s", recording->path, name);

	if (length < 0 || (size_t)length >= sizeof(path) || access(path, F_OK))
		return NULL;
	return arena_text(recording->arena, path, (size_t)length);
}

/* The same with an absolute path, as user programs have. */
static const char *find_absolute(struct recording *recording, const char *name)
{
	const char *path = find_beside(recording, name);
	char absolute[PATH_MAX];

	if (!path || !realpath(path, absolute))
		return NULL;
	return arena_text(recording->arena, absolute, strlen(absolute));
}

static bool find_snapshot(struct recording *recording)
{
	recording->data_path = find_beside(recording, "snapshot.ini");
	recording->is_snapshot = recording->data_path;
	recording->kallsyms_path = find_beside(recording, "kallsyms");
	recording->modules_path = find_beside(recording, "modules");
	return recording->is_snapshot;
}

static int say_why_not(struct recording *recording)
{
	if (access(recording->path, X_OK) < 0) {
		log_message(recording->log, LOG_ERROR, recording->path,
			    LOG_NO_OFFSET, "cannot be read: %s",
			    strerror(errno));
		return -ERROR_SYSTEM;
	}
	log_message(recording->log, LOG_ERROR, recording->path, LOG_NO_OFFSET,
		    "a directory without a file called data: %s",
		    find_beside(recording, "kcore_dir") ?
			    "this recording was not finished: its recorder "
			    "was killed, or could not write, before it began "
			    "to trace" :
			    "no recording");
	return -ERROR_NOT_FOUND;
}

/* perf record --kcore puts the copies into a folder of the directory. */
int recording_files_find(struct recording *recording)
{
	struct stat stat_of_path;

	recording->data_path = recording->path;
	if (stat(recording->path, &stat_of_path) < 0 ||
	    !S_ISDIR(stat_of_path.st_mode))
		return 0;
	recording->data_path = find_beside(recording, "data");
	recording->kcore_path = find_beside(recording, "kcore_dir/kcore");
	recording->kcore_end_path =
		find_beside(recording, "kcore_dir/kcore_end");
	recording->kallsyms_path = find_beside(recording, "kcore_dir/kallsyms");
	recording->modules_path = find_beside(recording, "kcore_dir/modules");
	recording->cgroups_path = find_beside(recording, "kcore_dir/cgroups");
	recording->cgroups_end_path =
		find_beside(recording, "kcore_dir/cgroups_end");
	recording->sockets_path = find_beside(recording, "kcore_dir/sockets");
	recording->clock_path = find_beside(recording, "kcore_dir/clock");
	recording->vdso_path = find_absolute(recording, "kcore_dir/vdso");
	recording->code_path = find_beside(recording, "code");
	recording->trace_dat_path = find_beside(recording, "trace.dat");
	if (recording->data_path)
		return 0;
	if (find_snapshot(recording))
		return 0;
	return say_why_not(recording);
}
