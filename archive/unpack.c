/* SPDX-License-Identifier: MIT */
#include "archive/unpack.h"

#include "archive/archive_reader.h"
#include "common/error.h"
#include "common/log.h"
#include "common/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 20 };

static int say_why_not(const struct archive_reader *reader, const char *name,
		       const char *reason)
{
	log_message(reader->bytes.log, LOG_ERROR, reader->bytes.path,
		    LOG_NO_OFFSET, "%.200s cannot be unpacked: %s", name,
		    reason);
	return -ERROR_SYSTEM;
}

static int copy_bytes(struct archive_reader *reader,
		      const struct archive_member *member, int fd)
{
	uint8_t *bytes = malloc(CHUNK_BYTES);
	uint64_t left = member->header.size;
	uint64_t offset = member->content;
	int error = bytes ? 0 : -ERROR_MEMORY;

	while (left && !error) {
		size_t some = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;

		error = seekable_reader_get(&reader->bytes, offset, bytes,
					    some);
		if (!error)
			error = file_map_append(fd, bytes, some,
						reader->bytes.log);
		left -= some;
		offset += some;
	}
	free(bytes);
	return error;
}

/* Preserves times: caches match their inputs by file times. */
static int unpack_file(struct archive_reader *reader,
		       const struct archive_member *member, int folder)
{
	const struct tar_header *header = &member->header;
	const struct timespec times[2] = { header->changed, header->changed };
	int fd = openat(folder, header->name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
	int error;

	if (fd < 0)
		return say_why_not(reader, header->name, strerror(errno));
	error = copy_bytes(reader, member, fd);
	if (!error && (fchmod(fd, (header->mode & 0777) | 0400) < 0 ||
		       futimens(fd, times) < 0))
		error = say_why_not(reader, header->name, strerror(errno));
	if (close(fd) < 0 && !error)
		error = say_why_not(reader, header->name, strerror(errno));
	return error;
}

/* Creates the folders that contain @name, and @name itself if it @is_folder. */
static int make_folders(const struct archive_reader *reader, int folder,
			const char *name, bool is_folder)
{
	char path[PATH_MAX];
	char *slash = path;

	strcpy(path, name);
	for (;;) {
		slash = strchr(slash, '/');
		if (!slash && !is_folder)
			return 0;
		if (slash)
			*slash = '\0';
		if (mkdirat(folder, path, 0700) < 0 && errno != EEXIST)
			return say_why_not(reader, name, strerror(errno));
		if (!slash)
			return 0;
		*slash++ = '/';
	}
}

static int unpack_all(struct archive_reader *reader, int folder)
{
	struct archive_member member;
	int status;

	while ((status = archive_reader_next(reader, &member)) > 0) {
		bool is_folder = member.header.type == TAR_FOLDER;

		status = make_folders(reader, folder, member.header.name,
				      is_folder);
		if (!status && !is_folder)
			status = unpack_file(reader, &member, folder);
		if (status)
			break;
	}
	return status;
}

int unpack(const char *path, const struct output_folder *folder,
	   const struct log *log)
{
	struct archive_reader reader;
	int error = archive_reader_open(&reader, path, log);

	if (error)
		return error;
	error = unpack_all(&reader, folder->fd);
	archive_reader_close(&reader);
	return error;
}
