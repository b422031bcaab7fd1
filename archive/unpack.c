/* SPDX-License-Identifier: MIT */
#include "archive/unpack.h"

#include "archive/archive_file_internal.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/files/output_folder.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 20 };

struct unpacking {
	struct archive_reader reader;
	const struct output_folder *folder; /* unpacked to; borrowed */
};

/* Logs why the file @name cannot be written: errno. */
static int fail(const struct unpacking *unpacking, const char *name)
{
	return output_folder_fail(unpacking->folder, name,
				  unpacking->reader.bytes.log);
}

static int copy_bytes(struct unpacking *unpacking,
		      const struct archive_member *member, int fd)
{
	uint8_t *bytes = malloc(CHUNK_BYTES);
	uint64_t left = member->header.size;
	uint64_t offset = member->content;
	int error = bytes ? 0 : -ERROR_MEMORY;

	while (left && !error) {
		size_t some = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;

		error = seekable_reader_get(&unpacking->reader.bytes, offset,
					    bytes, some);
		if (!error && file_map_put(fd, bytes, some))
			error = fail(unpacking, member->header.name);
		left -= some;
		offset += some;
	}
	free(bytes);
	return error;
}

/* Preserves times: caches match their inputs by file times. */
static int unpack_file(struct unpacking *unpacking,
		       const struct archive_member *member)
{
	const struct tar_header *header = &member->header;
	const struct timespec times[2] = { header->changed, header->changed };
	int fd = openat(unpacking->folder->fd, header->name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
	int error;

	if (fd < 0)
		return fail(unpacking, header->name);
	error = copy_bytes(unpacking, member, fd);
	if (!error && (fchmod(fd, (header->mode & 0777) | 0400) < 0 ||
		       futimens(fd, times) < 0))
		error = fail(unpacking, header->name);
	if (close(fd) < 0 && !error)
		error = fail(unpacking, header->name);
	return error;
}

/* Creates the folders that contain @name, and @name itself if it @is_folder. */
static int make_folders(const struct unpacking *unpacking, const char *name,
			bool is_folder)
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
		if (mkdirat(unpacking->folder->fd, path, 0700) < 0 &&
		    errno != EEXIST)
			return fail(unpacking, name);
		if (!slash)
			return 0;
		*slash++ = '/';
	}
}

static int unpack_all(struct unpacking *unpacking)
{
	struct archive_member member;
	int status;

	while ((status = archive_reader_next(&unpacking->reader, &member)) >
	       0) {
		bool is_folder = member.header.type == TAR_FOLDER;

		status = make_folders(unpacking, member.header.name, is_folder);
		if (!status && !is_folder)
			status = unpack_file(unpacking, &member);
		if (status)
			break;
	}
	return status;
}

int unpack(const char *path, const struct output_folder *folder,
	   const struct log *log)
{
	struct unpacking unpacking = { .folder = folder };
	int error = archive_reader_open(&unpacking.reader, path, log);

	if (error)
		return error;
	error = unpack_all(&unpacking);
	archive_reader_close(&unpacking.reader);
	return error;
}
