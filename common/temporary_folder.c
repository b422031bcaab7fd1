/* SPDX-License-Identifier: MIT */
#include "common/temporary_folder.h"

#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "ktrace-hw-folder."

/* One that was made just now is not locked yet. */
enum { YOUNG_S = 60 };

static const char *parent(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/var/tmp";
}

static void remove_all(char *path)
{
	char *const roots[] = { path, NULL };
	FTS *tree =
		fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	const FTSENT *entry;

	while (tree && (entry = fts_read(tree))) {
		if (entry->fts_info == FTS_DP)
			rmdir(entry->fts_accpath);
		else if (entry->fts_info != FTS_D)
			unlink(entry->fts_accpath);
	}
	if (tree)
		fts_close(tree);
}

/* A process that ended, however it did, has no lock any more. */
static void remove_if_left(char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat stat;

	if (fd < 0)
		return;
	if (!fstat(fd, &stat) && stat.st_uid == geteuid() &&
	    time(NULL) - stat.st_ctim.tv_sec > YOUNG_S &&
	    !flock(fd, LOCK_EX | LOCK_NB))
		remove_all(path);
	close(fd);
}

static void remove_left(void)
{
	char pattern[PATH_MAX];
	glob_t found = { 0 };

	snprintf(pattern, sizeof(pattern), "%s/" PREFIX "??????", parent());
	if (!glob(pattern, GLOB_NOSORT, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			remove_if_left(found.gl_pathv[i]);
	globfree(&found);
}

int temporary_folder_make(struct temporary_folder *folder,
			  const struct log *log)
{
	char path[PATH_MAX];

	remove_left();
	*folder = (struct temporary_folder){ .lock = -1 };
	snprintf(path, sizeof(path), "%s/" PREFIX "XXXXXX", parent());
	if (mkdtemp(path)) {
		folder->path = strdup(path);
		folder->lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (folder->path && folder->lock >= 0 &&
	    !flock(folder->lock, LOCK_EX | LOCK_NB))
		return 0;
	log_message(log, LOG_ERROR, parent(), LOG_NO_OFFSET,
		    "cannot make a temporary folder: %s", strerror(errno));
	temporary_folder_remove(folder);
	return -ERROR_SYSTEM;
}

void temporary_folder_remove(struct temporary_folder *folder)
{
	if (!folder->path)
		return;
	remove_all(folder->path);
	free(folder->path);
	if (folder->lock >= 0)
		close(folder->lock);
	*folder = (struct temporary_folder){ 0 };
}
