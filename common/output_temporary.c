/* SPDX-License-Identifier: MIT */
/* Temporary folders and files, and files that appear when they are complete. */
#include "common/error.h"
#include "common/log.h"
#include "common/output_folder.h"
#include "common/trusted_path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "ktrace-hw-folder."

enum { RANDOM_LETTERS = 6, TRIES = 100 };

/* A folder younger than this may not be locked yet. */
enum { YOUNG_S = 60 };

const char *output_temporary_place(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/var/tmp";
}

/* Writes random letters and a NUL to @text. */
static void add_random(char text[RANDOM_LETTERS + 1])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	unsigned char bytes[RANDOM_LETTERS] = { 0 };

	/* If another user guessed the name, O_EXCL refuses it. */
	if (getrandom(bytes, sizeof(bytes), 0) < 0)
		bytes[0] = (unsigned char)getpid();
	for (int i = 0; i < RANDOM_LETTERS; i++)
		text[i] = letters[bytes[i] % (sizeof(letters) - 1)];
	text[RANDOM_LETTERS] = '\0';
}

/* If the folder is not locked, the process that created it has ended. */
static void remove_if_left(const char *name)
{
	char path[PATH_MAX];
	struct output_folder folder;
	struct stat stat;

	snprintf(path, sizeof(path), "%s/%s", output_temporary_place(), name);
	if (output_folder_open(&folder, path, NULL))
		return;
	if (!fstat(folder.fd, &stat) &&
	    time(NULL) - stat.st_ctim.tv_sec > YOUNG_S &&
	    !flock(folder.fd, LOCK_EX | LOCK_NB))
		output_folder_discard(&folder);
	output_folder_close(&folder);
}

static bool is_temporary(const char *name)
{
	return !strncmp(name, PREFIX, strlen(PREFIX)) &&
	       strlen(name) == strlen(PREFIX) + RANDOM_LETTERS;
}

static void remove_left(void)
{
	DIR *entries = opendir(output_temporary_place());
	const struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		if (is_temporary(entry->d_name))
			remove_if_left(entry->d_name);
	if (entries)
		closedir(entries);
}

int output_folder_temporary(struct output_folder *folder, const struct log *log)
{
	char path[PATH_MAX];
	char name[RANDOM_LETTERS + 1];
	int error = -ERROR_SYSTEM;

	remove_left();
	*folder = (struct output_folder){ 0 };
	errno = EEXIST;
	for (int i = 0; i < TRIES && error && errno == EEXIST; i++) {
		add_random(name);
		snprintf(path, sizeof(path), "%s/" PREFIX "%s",
			 output_temporary_place(), name);
		error = output_folder_make(folder, path, NULL);
	}
	if (!error && !flock(folder->fd, LOCK_EX | LOCK_NB))
		return 0;
	log_message(log, LOG_ERROR, output_temporary_place(), LOG_NO_OFFSET,
		    "cannot make a temporary folder: %s", strerror(errno));
	output_folder_discard(folder);
	return error ? error : -ERROR_SYSTEM;
}

/* Opens a file without a name in the folder @fd; or with a random name, which
 * it removes immediately.
 */
static int open_nameless(int fd)
{
	char name[sizeof(PREFIX) + RANDOM_LETTERS] = PREFIX;
	int file = openat(fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (file >= 0)
		return file;
	add_random(name + strlen(PREFIX));
	file = openat(fd, name,
		      O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file >= 0)
		unlinkat(fd, name, 0);
	return file;
}

int output_temporary_fail(const struct log *log)
{
	int cause = errno;

	log_message(log, LOG_ERROR, output_temporary_place(), LOG_NO_OFFSET,
		    "cannot write a temporary file: %s", strerror(cause));
	errno = cause;
	return -ERROR_SYSTEM;
}

int output_temporary_file(const struct log *log)
{
	int folder = trusted_path_open(AT_FDCWD, output_temporary_place());
	int fd = folder < 0 ? -1 : open_nameless(folder);
	int cause = errno;

	if (folder >= 0)
		close(folder);
	if (fd >= 0)
		return fd;
	log_message(log, LOG_ERROR, output_temporary_place(), LOG_NO_OFFSET,
		    "cannot make a temporary file: %s", strerror(cause));
	errno = cause;
	return -1;
}

/* Returns the folder of @path, "." for a name alone; the caller frees it. */
static char *folder_of(const char *path)
{
	const char *end = strrchr(path, '/');

	if (!end)
		return strdup(".");
	return strndup(path, end == path ? 1 : (size_t)(end - path));
}

/* Returns the descriptor of a file with a temporary name, or -1. */
static int open_named(struct output_draft *draft)
{
	char letters[RANDOM_LETTERS + 1];
	char *name;
	int fd;

	add_random(letters);
	if (asprintf(&name, "%s.%s", draft->name, letters) < 0)
		return -1;
	fd = output_folder_create(&draft->folder, name);
	if (fd >= 0)
		draft->temporary = name;
	else
		free(name);
	return fd;
}

bool output_draft_open(struct output_draft *draft, const char *path)
{
	const char *end = strrchr(path, '/');
	char *folder = folder_of(path);

	*draft = (struct output_draft){ .fd = -1 };
	draft->name = strdup(end ? end + 1 : path);
	if (folder && draft->name &&
	    !output_folder_open_shared(&draft->folder, folder)) {
		draft->fd = openat(draft->folder.fd, ".",
				   O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		if (draft->fd < 0)
			draft->fd = open_named(draft);
	}
	free(folder);
	return draft->fd >= 0;
}

/* linkat(2) cannot replace a file, so the draft gets a temporary name first. */
static bool give_name(struct output_draft *draft)
{
	char source[32];
	char letters[RANDOM_LETTERS + 1];

	if (draft->temporary)
		return true;
	add_random(letters);
	if (asprintf(&draft->temporary, "%s.%s", draft->name, letters) < 0) {
		draft->temporary = NULL;
		return false;
	}
	snprintf(source, sizeof(source), "/proc/self/fd/%d", draft->fd);
	if (!linkat(AT_FDCWD, source, draft->folder.fd, draft->temporary,
		    AT_SYMLINK_FOLLOW))
		return true;
	free(draft->temporary);
	draft->temporary = NULL;
	return false;
}

bool output_draft_finish(struct output_draft *draft)
{
	if (!give_name(draft) || fchmod(draft->fd, 0644) < 0 ||
	    output_folder_rename(&draft->folder, draft->temporary, draft->name))
		return false;
	free(draft->temporary);
	draft->temporary = NULL;
	return true;
}

void output_draft_close(struct output_draft *draft)
{
	if (draft->temporary)
		output_folder_remove(&draft->folder, draft->temporary);
	if (draft->fd >= 0)
		close(draft->fd);
	free(draft->temporary);
	free(draft->name);
	output_folder_close(&draft->folder);
	*draft = (struct output_draft){ .fd = -1 };
}
