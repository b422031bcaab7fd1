/* SPDX-License-Identifier: MIT */
#include "collector/bytes/recording_files.h"

#include "common/error.h"
#include "common/files/file_io.h"
#include "common/files/output_folder.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int append_file_create(struct append_file *file,
		       const struct output_folder *folder, const char *name,
		       const struct log *log)
{
	*file = (struct append_file){ .fd = -1, .log = log };
	if (asprintf(&file->path, "%s/%s", folder->path, name) < 0) {
		file->path = NULL;
		return -ERROR_MEMORY;
	}
	file->fd = output_folder_create(folder, name);
	if (file->fd >= 0)
		return 0;
	log_message(log, LOG_ERROR, file->path, LOG_NO_OFFSET,
		    "cannot create: %s", strerror(errno));
	return -ERROR_SYSTEM;
}

void append_file_close(struct append_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	*file = (struct append_file){ .fd = -1 };
}

static int fail(struct append_file *file)
{
	int cause = errno;
	bool full = cause == ENOSPC || cause == EDQUOT;

	file->error = -ERROR_SYSTEM;
	log_message(file->log, LOG_ERROR, file->path, file->end,
		    "cannot write: %s%s", strerror(cause),
		    full ? "; free some space or choose another directory with "
			   "-o; complete records are kept" :
			   "");
	/* A partial piece would make the rest of the file unreadable. */
	if (ftruncate(file->fd, (off_t)file->end) < 0)
		log_message(file->log, LOG_WARNING, file->path, file->end,
			    "cannot cut off half a record: %s",
			    strerror(errno));
	return file->error;
}

/* Removes @size bytes from the front of @parts. Returns how many parts are
 * left, and moves @parts to the first of them.
 */
static int use_up(struct iovec **parts, int count, size_t size)
{
	while (count && size >= (*parts)->iov_len) {
		size -= (*parts)->iov_len;
		++*parts;
		count--;
	}
	if (count) {
		(*parts)->iov_base = (char *)(*parts)->iov_base + size;
		(*parts)->iov_len -= size;
	}
	return count;
}

void append_file_set_direct(struct append_file *file, bool is_direct)
{
	int flags = fcntl(file->fd, F_GETFL);

	/* An error means that the file system has no O_DIRECT. */
	fcntl(file->fd, F_SETFL,
	      is_direct ? flags | O_DIRECT : flags & ~O_DIRECT);
}

/* Returns whether a write failed because the file system refuses O_DIRECT
 * (EINVAL). If so, clears O_DIRECT, so that the write can be repeated.
 */
static bool is_refused(struct append_file *file)
{
	if (errno != EINVAL || !(fcntl(file->fd, F_GETFL) & O_DIRECT))
		return false;
	append_file_set_direct(file, false);
	return true;
}

int append_file_add(struct append_file *file, struct iovec *parts, int count)
{
	uint64_t at = file->end;

	if (file->error)
		return file->error;
	while (count) {
		ssize_t done = pwritev(file->fd, parts, count, (off_t)at);

		if (done < 0 && (errno == EINTR || is_refused(file)))
			continue;
		if (done < 0)
			return fail(file);
		at += (uint64_t)done;
		count = use_up(&parts, count, (size_t)done);
	}
	file->end = at;
	return 0;
}

int append_file_put(const struct append_file *file, const void *bytes,
		    size_t size, uint64_t offset)
{
	return write_at(file->fd, bytes, size, offset);
}

int kcore_folder_open(struct output_folder *folder,
		      const struct output_folder *recording,
		      const struct log *log)
{
	return output_folder_sub(folder, recording, "kcore_dir", log);
}

int kcore_folder_write(const struct output_folder *recording, const char *name,
		       void (*write)(FILE *out, const void *context),
		       const void *context, const struct log *log)
{
	struct output_folder folder;
	int error = kcore_folder_open(&folder, recording, log);

	if (!error)
		error = output_folder_write(&folder, name, write, context, log);
	output_folder_close(&folder);
	return error;
}
