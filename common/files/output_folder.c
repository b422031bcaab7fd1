/* SPDX-License-Identifier: MIT */
#include "common/files/output_folder.h"

#include "common/error.h"
#include "common/files/file_io.h"
#include "common/files/regular_file.h"
#include "common/log.h"

#include <assert.h>
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

/* The invariants are numbered in the header; here is where each is enforced:
 *
 *	1  find(), open_named(): a path is walked name by name
 *	2  check(), at each opening; is_own() learns the owner of new files
 *	3  output_folder_create(), _replace(): O_EXCL, after a removal if needed
 *	4  output_folder_reopen()
 *	5  remove_all(), output_folder_remove_empty(): descriptors only, no links
 *	6  output_folder_is_in_place(), before a rename or removal
 *	7  output_folder_lock(): flock() on the descriptor
 *
 * The second half of this file has temporary folders and files, and drafts:
 * files that appear under their name when they are complete.
 */

/* Mode bits with which users other than the owner may change a folder. A folder
 * for drafts may be writable by its group (STRANGERS_WRITE), because the group
 * can change the recording in it anyway.
 */
enum { OTHERS_WRITE = S_IWGRP | S_IWOTH, STRANGERS_WRITE = S_IWOTH };

/* A reader holds the lock for microseconds, so a recorder retries. */
enum { LOCK_TRIES = 10, LOCK_PAUSE_NS = 20000000 };

/* Deeper folders are not removed, because each level needs a descriptor. */
enum { MOST_DEPTH = 32 };

/* Reports an error and returns it; keeps errno. */
static int refuse(const struct log *log, const char *path, const char *reason)
{
	int cause = errno;

	log_message(log, LOG_ERROR, path, LOG_NO_OFFSET, "%s", reason);
	errno = cause;
	return -ERROR_SYSTEM;
}

static const char *reason_of(int cause)
{
	if (cause == ELOOP || cause == ENOTDIR)
		return "not a directory, or a link to one: name the directory "
		       "itself";
	return strerror(cause);
}

/* Returns the owner that a new file in the folder @fd gets, or -1. */
static uid_t owner_of_new_file(int fd)
{
	static const char name[] = ".ktrace-hw.owner";
	struct stat stat = { .st_uid = (uid_t)-1 };
	int file = openat(fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (file < 0) {
		file = openat(fd, name,
			      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
				      O_CLOEXEC,
			      0600);
		if (file >= 0)
			unlinkat(fd, name, 0);
	}
	if (file < 0)
		return (uid_t)-1;
	if (fstat(file, &stat) < 0)
		stat.st_uid = (uid_t)-1;
	close(file);
	return stat.st_uid;
}

/* Returns whether the folder @fd belongs to this user: see the header. */
static bool is_own(int fd, const struct stat *stat)
{
	return stat->st_uid == geteuid() ||
	       stat->st_uid == owner_of_new_file(fd);
}

/* Checks invariant 2 of the open folder: its mode must have no bit of @refused.
 */
static int check(struct output_folder *folder, mode_t refused,
		 const struct log *log)
{
	struct stat stat;

	if (fstat(folder->fd, &stat) < 0)
		return refuse(log, folder->path, strerror(errno));
	folder->owner = stat.st_uid;
	if (!is_own(folder->fd, &stat)) {
		errno = EPERM;
		log_message(log, LOG_ERROR, folder->path, LOG_NO_OFFSET,
			    "belongs to another user (%ld): choose another "
			    "directory",
			    (long)stat.st_uid);
		return -ERROR_SYSTEM;
	}
	if (stat.st_mode & refused) {
		errno = EPERM;
		log_message(log, LOG_ERROR, folder->path, LOG_NO_OFFSET,
			    "other users may write to it (mode %04o): choose "
			    "another directory, or chmod go-w",
			    (unsigned int)stat.st_mode & 07777);
		return -ERROR_SYSTEM;
	}
	return 0;
}

/* Closes @folder and returns @error; keeps errno. */
static int give_up(struct output_folder *folder, int error)
{
	int cause = errno;

	output_folder_close(folder);
	errno = cause;
	return error;
}

/* Opens the folder named @folder->name. */
static int open_named_as(struct output_folder *folder, mode_t refused,
			 const struct log *log)
{
	folder->fd = openat(folder->parent, folder->name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK |
				    O_CLOEXEC);
	if (folder->fd < 0 && errno == ENOENT)
		return -ERROR_NOT_FOUND;
	if (folder->fd < 0)
		return refuse(log, folder->path, reason_of(errno));
	return check(folder, refused, log);
}

static int open_named(struct output_folder *folder, const struct log *log)
{
	return open_named_as(folder, OTHERS_WRITE, log);
}

/* Fills all fields except the folder's descriptor. */
static int find(struct output_folder *folder, const char *path,
		const struct log *log)
{
	*folder = (struct output_folder){ .fd = -1, .parent = -1 };
	folder->path = strdup(path);
	if (!folder->path)
		return -ERROR_MEMORY;
	folder->parent = trusted_path_parent(path, &folder->name);
	if (folder->parent >= 0)
		return 0;
	if (errno != EPERM)
		return refuse(log, path, reason_of(errno));
	return refuse(log, path,
		      "another user made a link in its path: name the "
		      "directory that it leads to");
}

int output_folder_open(struct output_folder *folder, const char *path,
		       const struct log *log)
{
	int error = find(folder, path, log);

	if (!error)
		error = open_named(folder, log);
	return error ? give_up(folder, error) : 0;
}

/* Like output_folder_open(), but without messages, and for a folder that its
 * group may write to as well: invariants 2 and 4 do not hold there. Only for
 * drafts, which are created and renamed, and never read again.
 */
static int output_folder_open_shared(struct output_folder *folder,
				     const char *path)
{
	int error = find(folder, path, NULL);

	if (!error)
		error = open_named_as(folder, STRANGERS_WRITE, NULL);
	return error ? give_up(folder, error) : 0;
}

/* Creates the folder named @folder->name, and checks that it is empty: if
 * others may rename folders, they could have put another folder of this user in
 * its place.
 */
static int make_named(struct output_folder *folder, const struct log *log)
{
	int error;

	if (mkdirat(folder->parent, folder->name, 0700) < 0)
		return refuse(log, folder->path, strerror(errno));
	error = open_named(folder, log);
	if (!error && !output_folder_is_empty(folder)) {
		errno = EEXIST;
		error = refuse(log, folder->path,
			       "was replaced while it was created: choose a "
			       "directory that others may not write to");
	}
	return error == -ERROR_NOT_FOUND ? -ERROR_SYSTEM : error;
}

int output_folder_make(struct output_folder *folder, const char *path,
		       const struct log *log)
{
	int error = find(folder, path, log);

	if (!error)
		error = make_named(folder, log);
	return error ? give_up(folder, error) : 0;
}

/* Fills @folder, called @name in the folder @parent. The path of @parent is the
 * first @length bytes of @path.
 */
static int find_in(struct output_folder *folder, int parent, const char *path,
		   size_t length, const char *name)
{
	assert(*name && !strchr(name, '/'));
	*folder = (struct output_folder){ .fd = -1, .parent = -1 };
	folder->name = strdup(name);
	if (asprintf(&folder->path, "%.*s%s", (int)length, path, name) < 0)
		folder->path = NULL;
	if (!folder->path || !folder->name)
		return -ERROR_MEMORY;
	folder->parent = fcntl(parent, F_DUPFD_CLOEXEC, 0);
	return folder->parent < 0 ? -ERROR_SYSTEM : 0;
}

int output_folder_beside(struct output_folder *folder,
			 const struct output_folder *other, const char *name,
			 const struct log *log)
{
	size_t length = strlen(other->path);
	int error;

	while (length && other->path[length - 1] == '/')
		length--;
	while (length && other->path[length - 1] != '/')
		length--;
	error = find_in(folder, other->parent, other->path, length, name);
	if (!error)
		error = open_named(folder, log);
	return error ? give_up(folder, error) : 0;
}

/* Returns whether the folder is in the file system of @parent. */
static bool is_same_system(const struct output_folder *folder,
			   const struct output_folder *parent)
{
	struct stat stat;
	struct stat outer;

	return !fstat(folder->fd, &stat) && !fstat(parent->fd, &outer) &&
	       stat.st_dev == outer.st_dev;
}

static int open_sub(struct output_folder *folder,
		    const struct output_folder *parent, const char *name,
		    const struct log *log)
{
	char *start;
	int error = -ERROR_MEMORY;

	*folder = (struct output_folder){ .fd = -1, .parent = -1 };
	if (asprintf(&start, "%s/", parent->path) < 0)
		return -ERROR_MEMORY;
	error = find_in(folder, parent->fd, start, strlen(start), name);
	free(start);
	if (!error)
		error = open_named(folder, log);
	if (!error && !is_same_system(folder, parent)) {
		errno = EXDEV;
		error = refuse(log, folder->path,
			       "another file system is "
			       "mounted there");
	}
	return error;
}

int output_folder_sub(struct output_folder *folder,
		      const struct output_folder *parent, const char *name,
		      const struct log *log)
{
	int error = open_sub(folder, parent, name, log);

	if (error == -ERROR_NOT_FOUND)
		error = make_named(folder, log);
	return error ? give_up(folder, error) : 0;
}

void output_folder_close(struct output_folder *folder)
{
	if (folder->path && folder->fd >= 0)
		close(folder->fd);
	if (folder->path && folder->parent >= 0)
		close(folder->parent);
	free(folder->path);
	free(folder->name);
	*folder = (struct output_folder){ 0 };
}

/* Locks the folder @fd. File systems without locks are not an error: the folder
 * is then not protected. Returns -1 with errno if another process has the lock.
 */
static int try_lock(int fd)
{
	const struct timespec pause = { 0, LOCK_PAUSE_NS };

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
			return 0;
		nanosleep(&pause, NULL);
	}
	errno = EWOULDBLOCK;
	return -1;
}

int output_folder_lock(const struct output_folder *folder,
		       const struct log *log)
{
	if (!try_lock(folder->fd))
		return 0;
	return refuse(log, folder->path,
		      "is being recorded to by another process: wait for it, "
		      "or choose another directory");
}

bool output_folder_is_locked(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
	bool is_locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 &&
			 errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return is_locked;
}

bool output_folder_is_in_place(const struct output_folder *folder)
{
	struct stat named;
	struct stat opened;

	return folder->parent >= 0 &&
	       !fstatat(folder->parent, folder->name, &named,
			AT_SYMLINK_NOFOLLOW) &&
	       !fstat(folder->fd, &opened) && named.st_dev == opened.st_dev &&
	       named.st_ino == opened.st_ino;
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Returns the entries of the folder @fd, starting with the first, or NULL. */
static DIR *entries_of(int fd)
{
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = own < 0 ? NULL : fdopendir(own);

	if (!entries && own >= 0)
		close(own);
	return entries;
}

static const char *next_name(DIR *entries)
{
	const struct dirent *entry;

	do
		entry = readdir(entries);
	while (entry && is_dots(entry->d_name));
	return entry ? entry->d_name : NULL;
}

bool output_folder_is_empty(const struct output_folder *folder)
{
	DIR *entries = entries_of(folder->fd);
	bool is_empty = entries && !next_name(entries);

	if (entries)
		closedir(entries);
	return is_empty;
}

bool output_folder_has(const struct output_folder *folder, const char *name)
{
	struct stat stat;

	return !fstatat(folder->fd, name, &stat, AT_SYMLINK_NOFOLLOW);
}

int output_folder_move(struct output_folder *folder, const char *name)
{
	char *copy = strdup(name);

	if (!copy)
		return -ERROR_MEMORY;
	if (!output_folder_is_in_place(folder)) {
		errno = ESTALE;
	} else if (!renameat(folder->parent, folder->name, folder->parent,
			     name)) {
		free(folder->name);
		folder->name = copy;
		return 0;
	}
	free(copy);
	return -ERROR_SYSTEM;
}

void output_folder_remove_empty(const struct output_folder *folder)
{
	if (output_folder_is_in_place(folder))
		unlinkat(folder->parent, folder->name, AT_REMOVEDIR);
}

int output_folder_create(const struct output_folder *folder, const char *name)
{
	assert(*name && !strchr(name, '/'));
	return openat(folder->fd, name,
		      O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int output_folder_replace(const struct output_folder *folder, const char *name)
{
	output_folder_remove(folder, name);
	return output_folder_create(folder, name);
}

static FILE *open_stream(const struct output_folder *folder, const char *name)
{
	int fd = output_folder_replace(folder, name);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");

	if (!stream && fd >= 0)
		close(fd);
	return stream;
}

int output_folder_fail(const struct output_folder *folder, const char *name,
		       const struct log *log)
{
	const char *reason = strerror(errno);
	char *path;

	if (asprintf(&path, "%s/%s", folder->path, name) < 0)
		return -ERROR_MEMORY;
	log_message(log, LOG_ERROR, path, LOG_NO_OFFSET,
		    "cannot be written: %s", reason);
	free(path);
	return -ERROR_SYSTEM;
}

int output_folder_write(const struct output_folder *folder, const char *name,
			void (*write)(FILE *out, const void *context),
			const void *context, const struct log *log)
{
	FILE *out = open_stream(folder, name);
	bool is_written = out;

	if (out) {
		write(out, context);
		is_written = close_written(out);
	}
	return is_written ? 0 : output_folder_fail(folder, name, log);
}

struct bytes {
	const void *bytes;
	size_t size;
};

static void write_bytes(FILE *out, const void *context)
{
	const struct bytes *bytes = context;

	fwrite(bytes->bytes, 1, bytes->size, out);
}

int output_folder_save(const struct output_folder *folder, const char *name,
		       const void *bytes, size_t size, const struct log *log)
{
	const struct bytes content = { bytes, size };

	return output_folder_write(folder, name, write_bytes, &content, log);
}

int output_folder_reopen(const struct output_folder *folder, const char *name,
			 int flags)
{
	int fd = openat(folder->fd, name,
			flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat stat;

	if (fd < 0 || (!fstat(fd, &stat) && S_ISREG(stat.st_mode) &&
		       stat.st_uid == folder->owner && stat.st_nlink == 1))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

int output_folder_rename(const struct output_folder *folder, const char *from,
			 const char *to)
{
	return renameat(folder->fd, from, folder->fd, to) ? -ERROR_SYSTEM : 0;
}

void output_folder_remove(const struct output_folder *folder, const char *name)
{
	int saved = errno;

	unlinkat(folder->fd, name, 0);
	errno = saved;
}

void output_folder_remove_files(const struct output_folder *folder,
				const char *prefix)
{
	DIR *entries = entries_of(folder->fd);
	const char *name;

	while (entries && (name = next_name(entries)))
		if (!strncmp(name, prefix, strlen(prefix)))
			output_folder_remove(folder, name);
	if (entries)
		closedir(entries);
}

/* Removes a folder's content before the folder itself. */
static void remove_all(const struct output_folder *folder, int depth)
{
	DIR *entries = entries_of(folder->fd);
	struct output_folder sub;
	const char *name;

	while (entries && (name = next_name(entries))) {
		if (!unlinkat(folder->fd, name, 0) || errno != EISDIR)
			continue;
		if (depth && !open_sub(&sub, folder, name, NULL))
			remove_all(&sub, depth - 1);
		if (depth)
			output_folder_close(&sub);
	}
	if (entries)
		closedir(entries);
	output_folder_remove_empty(folder);
}

void output_folder_remove_sub(const struct output_folder *folder,
			      const char *name, int depth)
{
	struct output_folder sub;

	if (!open_sub(&sub, folder, name, NULL))
		remove_all(&sub, depth);
	output_folder_close(&sub);
}

void output_folder_discard(struct output_folder *folder)
{
	if (folder->path)
		remove_all(folder, MOST_DEPTH);
	output_folder_close(folder);
}

/* Temporary folders and files, and files that appear when they are complete. */

#define PREFIX "ktrace-hw-folder."

enum { RANDOM_LETTERS = 6, TRIES = 100 };

/* A folder younger than this may not be locked yet. */
enum { YOUNG_S = 60 };

const char *output_temporary_path(void)
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

/* Removes a temporary folder whose process has ended: one that is not locked.
 */
static void remove_if_left(const char *name)
{
	char path[PATH_MAX];
	struct output_folder folder;
	struct stat stat;

	snprintf(path, sizeof(path), "%s/%s", output_temporary_path(), name);
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
	DIR *entries = opendir(output_temporary_path());
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
			 output_temporary_path(), name);
		error = output_folder_make(folder, path, NULL);
	}
	if (!error && !try_lock(folder->fd))
		return 0;
	log_message(log, LOG_ERROR, output_temporary_path(), LOG_NO_OFFSET,
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

	log_message(log, LOG_ERROR, output_temporary_path(), LOG_NO_OFFSET,
		    "cannot write a temporary file: %s", strerror(cause));
	errno = cause;
	return -ERROR_SYSTEM;
}

int output_temporary_file(const struct log *log)
{
	int folder = trusted_path_open(AT_FDCWD, output_temporary_path());
	int fd = folder < 0 ? -1 : open_nameless(folder);
	int cause = errno;

	if (folder >= 0)
		close(folder);
	if (fd >= 0)
		return fd;
	log_message(log, LOG_ERROR, output_temporary_path(), LOG_NO_OFFSET,
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
static int open_temporary_named(struct output_draft *draft)
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
			draft->fd = open_temporary_named(draft);
	}
	free(folder);
	return draft->fd >= 0;
}

/* Gives the draft its final name. linkat(2) cannot replace a file, so the draft
 * gets a temporary name first.
 */
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
