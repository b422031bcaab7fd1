/* SPDX-License-Identifier: MIT */
#include "archive/archive_writer.h"

#include "archive/tar_header.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/log.h"
#include "common/regular_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Files of this size start a frame, so that they can be read without others. */
enum { LARGE_BYTES = 1 << 16 };

static int put_block(struct seekable_writer *writer,
		     const struct tar_header *header)
{
	uint8_t block[TAR_BLOCK_BYTES];

	tar_header_write(header, block);
	return seekable_writer_put(writer, block, sizeof(block));
}

static int put_padded(struct seekable_writer *writer, const void *bytes,
		      uint64_t size)
{
	static const uint8_t zeros[TAR_BLOCK_BYTES];
	int error = seekable_writer_put(writer, bytes, size);

	return error ? error :
		       seekable_writer_put(writer, zeros,
					   tar_padded(size) - size);
}

static int put_header(struct seekable_writer *writer,
		      const struct tar_header *header)
{
	char text[PATH_MAX + 256];
	const size_t length = tar_records_write(header, text, sizeof(text));
	const struct tar_header records = {
		.name = "pax",
		.type = TAR_RECORDS,
		.mode = 0644,
		.size = length,
	};
	int error = put_block(writer, &records);

	if (!error)
		error = put_padded(writer, text, length);
	return error ? error : put_block(writer, header);
}

int archive_add_folder(struct seekable_writer *writer,
		       const struct tar_header *header)
{
	return put_header(writer, header);
}

int archive_add_bytes(struct seekable_writer *writer,
		      const struct tar_header *header, const uint8_t *bytes)
{
	bool is_large = header->size >= LARGE_BYTES;
	int error = put_header(writer, header);

	if (!error && is_large)
		error = seekable_writer_cut(writer);
	if (!error)
		error = put_padded(writer, bytes, header->size);
	return !error && is_large ? seekable_writer_cut(writer) : error;
}

static int add_open(struct seekable_writer *writer, int fd, const char *name)
{
	struct tar_header header = { .type = TAR_FILE };
	struct file_map map;
	struct stat stat;
	int error;

	if (fstat(fd, &stat) < 0 || file_map_open_fd(&map, fd) < 0)
		return -ERROR_NOT_FOUND;
	snprintf(header.name, sizeof(header.name), "%s", name);
	header.mode = stat.st_mode & 0777;
	header.size = map.size;
	header.changed = stat.st_mtim;
	error = archive_add_bytes(writer, &header, map.bytes);
	file_map_close(&map);
	return error;
}

int archive_add_file(struct seekable_writer *writer, const char *path,
		     const char *name)
{
	int fd = regular_file_open(path);
	int error = fd < 0 ? -ERROR_NOT_FOUND : add_open(writer, fd, name);

	if (error == -ERROR_NOT_FOUND) {
		log_message(writer->log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "left out: %s", regular_file_error(errno));
		error = 0;
	}
	if (fd >= 0)
		close(fd);
	return error;
}

int archive_finish(struct seekable_writer *writer)
{
	static const uint8_t end[2 * TAR_BLOCK_BYTES];
	int error = seekable_writer_put(writer, end, sizeof(end));

	return error ? error : seekable_writer_finish(writer);
}
