/* SPDX-License-Identifier: MIT */
#include "decoder/recording/data_file.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/file_io.h"
#include "common/log.h"
#include "common/perf_data.h"

#include <string.h>
#include <unistd.h>

static int refuse(const struct data_file *file, uint64_t offset, int error,
		  const char *text)
{
	log_message(file->log, LOG_ERROR, file->path, offset, "%s", text);
	return -error;
}

static int check_magic(const struct data_file *file)
{
	const char swapped[] = "2ELIFREP";

	if (!file->map.size)
		return refuse(file, 0, ERROR_TRUNCATED, "the file is empty");
	if (file->map.size < PERF_DATA_PIPE_HEADER_SIZE)
		return refuse(file, file->map.size, ERROR_TRUNCATED,
			      "the file ends inside its header");
	if (!memcmp(file->map.bytes, swapped, 8))
		return refuse(file, 0, ERROR_UNSUPPORTED,
			      "a recording of a big-endian machine");
	if (memcmp(file->map.bytes, PERF_DATA_MAGIC, 8))
		return refuse(file, 0, ERROR_FORMAT,
			      "not a perf.data file (no PERFILE2)");
	return 0;
}

static void open_pipe(struct data_file *file)
{
	file->is_pipe = true;
	file->data_offset = PERF_DATA_PIPE_HEADER_SIZE;
	file->data_size = file->map.size - file->data_offset;
}

/* A recorder that was killed leaves a data size of 0. */
static void clip_data(struct data_file *file)
{
	uint64_t room = file->map.size - file->data_offset;

	if (file->data_size && file->data_size <= room)
		return;
	file->is_cut = true;
	log_message(file->log, LOG_WARNING, file->path, file->map.size,
		    file->data_size ? "the file ends before its data does" :
				      "the recording was not finished");
	file->data_size = room;
}

static int read_header(struct data_file *file)
{
	struct byte_reader reader =
		byte_reader_of(file->map.bytes, file->map.size);

	byte_reader_bytes(&reader, 16);
	file->attr_entry_size = byte_reader_u64(&reader);
	file->attr_offset = byte_reader_u64(&reader);
	file->attr_size = byte_reader_u64(&reader);
	file->data_offset = byte_reader_u64(&reader);
	file->data_size = byte_reader_u64(&reader);
	byte_reader_bytes(&reader, 16);
	for (int i = 0; i < 4; i++)
		file->features[i] = byte_reader_u64(&reader);
	if (reader.failed)
		return refuse(file, file->map.size, ERROR_TRUNCATED,
			      "the file ends inside its header");
	if (file->data_offset > file->map.size)
		return refuse(file, 40, ERROR_TRUNCATED,
			      "the file ends before its data begins");
	file->feature_offset = file->data_offset + file->data_size;
	clip_data(file);
	return 0;
}

int data_file_open(struct data_file *file, const char *path,
		   const struct log *log)
{
	*file = (struct data_file){ .path = path, .log = log };

	int error = file_map_open_kept(&file->map, path, log, &file->fd);

	if (error)
		return error;
	file->has_fd = file->fd >= 0;
	error = check_magic(file);
	if (error)
		goto fail;

	struct byte_reader reader =
		byte_reader_of(file->map.bytes + 8, file->map.size - 8);
	uint64_t header_size = byte_reader_u64(&reader);

	if (header_size == PERF_DATA_PIPE_HEADER_SIZE)
		open_pipe(file);
	else if (header_size == PERF_DATA_HEADER_SIZE)
		error = read_header(file);
	else
		error = refuse(file, 8, ERROR_FORMAT,
			       "the header's size is none that is known");
	if (!error)
		return 0;
fail:
	data_file_close(file);
	return error;
}

void data_file_close(struct data_file *file)
{
	file_map_close(&file->map);
	if (file->has_fd)
		close(file->fd);
	file->has_fd = false;
}

bool data_file_copy(const struct data_file *file, const uint8_t *bytes,
		    size_t size, void *to)
{
	uintptr_t at = (uintptr_t)bytes - (uintptr_t)file->map.bytes;

	return file->has_fd && at <= file->map.size &&
	       size <= file->map.size - at && !read_at(file->fd, to, size, at);
}

/* The sections are in order of their bits, without absent ones. */
const uint8_t *data_file_feature(const struct data_file *file, unsigned int bit,
				 size_t *size)
{
	unsigned int before = 0;

	if (file->is_pipe || bit >= PERF_DATA_FEATURE_BITS ||
	    !(file->features[bit / 64] >> (bit % 64) & 1) ||
	    file->feature_offset > file->map.size)
		return NULL;
	for (unsigned int i = 0; i < bit; i++)
		before += file->features[i / 64] >> (i % 64) & 1;

	struct byte_reader reader =
		byte_reader_of(file->map.bytes + file->feature_offset,
			       file->map.size - file->feature_offset);

	byte_reader_bytes(&reader, before * 16);

	uint64_t offset = byte_reader_u64(&reader);
	uint64_t length = byte_reader_u64(&reader);

	if (reader.failed || offset > file->map.size ||
	    length > file->map.size - offset)
		return NULL;
	*size = length;
	return file->map.bytes + offset;
}
