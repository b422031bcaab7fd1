/* SPDX-License-Identifier: MIT */
#include "common/files/output_file.h"

#include "common/files/file_io.h"
#include "common/files/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static int open_nameless(const struct new_file *file, mode_t mode)
{
	return openat(file->folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

/* Creates an unpredictable name beside file->name, so that other users with
 * write access to the folder cannot create a file or a link of that name
 * before.
 */
static bool make_name(struct new_file *file)
{
	uint64_t random;

	free(file->temporary);
	file->temporary = NULL;
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return false;
	if (asprintf(&file->temporary, "%s.%016" PRIx64, file->name, random) <
	    0)
		file->temporary = NULL;
	return file->temporary;
}

/* The number of names to try. A used name is not a coincidence, but an attack.
 */
enum { NAMES_TRIED = 8 };

static int open_temporary(struct new_file *file, mode_t mode)
{
	int fd = -1;

	for (int i = 0; i < NAMES_TRIED && fd < 0 && make_name(file); i++)
		fd = openat(file->folder, file->temporary,
			    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    mode);
	if (fd < 0) {
		free(file->temporary);
		file->temporary = NULL;
	}
	return fd;
}

/* Returns whether @path is a name of the system, such as /dev/stdout, even if
 * it leads to a regular file.
 */
static bool new_file_is_of_system(const char *path)
{
	return (!strncmp(path, "/dev/", 5) && strncmp(path, "/dev/shm/", 9)) ||
	       !strncmp(path, "/proc/", 6);
}

bool new_file_may_be(const char *path)
{
	struct stat file;

	if (!new_file_is_of_system(path) &&
	    (stat(path, &file) < 0 || S_ISREG(file.st_mode)))
		return true;
	errno = EINVAL;
	return false;
}

static bool find_folder(struct new_file *file, const char *path)
{
	free(file->name);
	if (file->folder >= 0)
		close(file->folder);
	file->folder = trusted_path_parent(path, &file->name);
	return file->folder >= 0;
}

static bool read_path(int fd, char path[PATH_MAX])
{
	char link[32];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, PATH_MAX - 1);
	path[length > 0 ? length : 0] = '\0';
	return length > 0;
}

/* If the name is a link, makes @file its target, so that the target is
 * replaced. A link to nothing is replaced itself. Returns false with errno if
 * another user made a link on the way.
 */
static bool follow_link(struct new_file *file)
{
	char path[PATH_MAX];
	struct stat link;
	bool is_found;
	int target;

	if (fstatat(file->folder, file->name, &link, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISLNK(link.st_mode))
		return true;
	target = trusted_path_open(file->folder, file->name);
	if (target < 0)
		return errno == ENOENT;
	is_found = read_path(target, path);
	close(target);
	return is_found && find_folder(file, path);
}

bool new_file_open(struct new_file *file, const char *path, mode_t mode)
{
	*file = (struct new_file){ .folder = -1, .fd = -1 };
	if (!new_file_may_be(path) || !find_folder(file, path) ||
	    !follow_link(file))
		return false;
	file->fd = open_nameless(file, mode);
	if (file->fd < 0)
		file->fd = open_temporary(file, mode);
	return file->fd >= 0;
}

/* Gives the file a temporary name beside its final one, because linkat(2)
 * cannot replace a file.
 */
static bool give_name(struct new_file *file)
{
	char source[32];

	if (file->temporary)
		return true;
	snprintf(source, sizeof(source), "/proc/self/fd/%d", file->fd);
	for (int i = 0; i < NAMES_TRIED && make_name(file); i++)
		if (linkat(AT_FDCWD, source, file->folder, file->temporary,
			   AT_SYMLINK_FOLLOW) == 0)
			return true;
	free(file->temporary);
	file->temporary = NULL;
	return false;
}

static bool finish(struct new_file *file, unsigned int flags)
{
	if (!give_name(file) || renameat2(file->folder, file->temporary,
					  file->folder, file->name, flags) < 0)
		return false;
	free(file->temporary);
	file->temporary = NULL;
	return true;
}

bool new_file_finish(struct new_file *file)
{
	return finish(file, 0);
}

bool new_file_finish_first(struct new_file *file)
{
	struct stat other;

	if (finish(file, RENAME_NOREPLACE))
		return true;
	/* Some file systems do not support flags. */
	if (errno != EINVAL ||
	    fstatat(file->folder, file->name, &other, AT_SYMLINK_NOFOLLOW) == 0)
		return false;
	return finish(file, 0);
}

void new_file_close(struct new_file *file)
{
	if (file->temporary)
		unlinkat(file->folder, file->temporary, 0);
	if (file->fd >= 0)
		close(file->fd);
	if (file->folder >= 0)
		close(file->folder);
	free(file->temporary);
	free(file->name);
	*file = (struct new_file){ .folder = -1, .fd = -1 };
}

struct output_file {
	struct new_file file; /* .fd is -1 for a device or pipe */
	FILE *out;
};

/* Returns the stream of @file. It has its own descriptor, because the file's is
 * needed later to give it its name.
 */
static FILE *open_stream(const struct new_file *file)
{
	int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out && fd >= 0)
		close(fd);
	return out;
}

/* Opens a device or pipe, also behind a link, unless another user made the link. */
static FILE *open_special(const char *path)
{
	char opened[32];
	FILE *out;
	int error;
	int fd;

	if (new_file_is_of_system(path))
		return fopen(path, "we");
	fd = trusted_path_open(AT_FDCWD, path);
	if (fd < 0)
		return NULL;
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
	out = fopen(opened, "we");
	error = errno;
	close(fd);
	errno = error;
	return out;
}

struct output_file *output_file_open(const char *path)
{
	struct output_file *file = calloc(1, sizeof(*file));
	int error;

	if (!file)
		return NULL;
	file->file = (struct new_file){ .folder = -1, .fd = -1 };
	if (!new_file_may_be(path))
		file->out = open_special(path);
	else if (new_file_open(&file->file, path, 0666))
		file->out = open_stream(&file->file);
	if (file->out)
		return file;
	error = errno;
	new_file_close(&file->file);
	free(file);
	errno = error;
	return NULL;
}

static ssize_t write_gzip(void *cookie, const char *bytes, size_t size)
{
	/* gzwrite() takes an unsigned int, and returns an int. */
	unsigned int part = size < INT_MAX ? (unsigned int)size : INT_MAX;
	int done = gzwrite(cookie, bytes, part);

	/* fopencookie(3): 0 is an error. */
	return done < 0 ? 0 : done;
}

static int close_gzip(void *cookie)
{
	int status = gzclose(cookie);

	if (status != Z_OK && status != Z_ERRNO)
		errno = ENOMEM;
	return status == Z_OK ? 0 : EOF;
}

/* Returns a stream that compresses to @out, which it closes; NULL with errno,
 * and @out is closed.
 */
static FILE *gzip_stream(FILE *out)
{
	static const cookie_io_functions_t functions = {
		.write = write_gzip,
		.close = close_gzip,
	};
	int fd = fcntl(fileno(out), F_DUPFD_CLOEXEC, 0);
	gzFile gzip = fd < 0 ? NULL : gzdopen(fd, "wb");
	FILE *packed = gzip ? fopencookie(gzip, "w", functions) : NULL;

	fclose(out);
	if (packed)
		return packed;
	if (gzip)
		gzclose(gzip);
	else if (fd >= 0)
		close(fd);
	errno = ENOMEM;
	return NULL;
}

struct output_file *output_file_open_gzip(const char *path)
{
	struct output_file *file = output_file_open(path);

	if (!file)
		return NULL;
	file->out = gzip_stream(file->out);
	if (file->out)
		return file;
	new_file_close(&file->file);
	free(file);
	errno = ENOMEM;
	return NULL;
}

FILE *output_file_stream(const struct output_file *file)
{
	return file->out;
}

bool output_file_close(struct output_file *file, bool is_whole)
{
	bool is_written;
	int error = 0;

	if (!file)
		return true;
	is_written = close_written(file->out);
	if (!is_written)
		error = errno;
	if (is_written && is_whole && file->file.fd >= 0 &&
	    !new_file_finish(&file->file)) {
		is_written = false;
		error = errno;
	}
	new_file_close(&file->file);
	free(file);
	errno = error;
	return is_written;
}
