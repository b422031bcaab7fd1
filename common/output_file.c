/* SPDX-License-Identifier: MIT */
#include "common/output_file.h"

#include "common/close_written.h"
#include "common/new_file.h"
#include "common/trusted_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct output_file {
	struct new_file file; /* .fd is -1 for a device or pipe */
	FILE *out;
};

/* The stream has its own descriptor, because the file's descriptor is needed
 * later to give it its name.
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
