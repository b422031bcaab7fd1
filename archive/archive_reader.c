/* SPDX-License-Identifier: MIT */
#include "archive/archive_reader.h"

#include "common/budget.h"
#include "common/error.h"
#include "common/log.h"
#include "common/regular_file.h"

#include <string.h>

int archive_reader_open(struct archive_reader *reader, const char *path,
			const struct log *log)
{
	int error;

	*reader = (struct archive_reader){ 0 };
	error = file_map_open(&reader->map, path, log);
	if (error)
		return error;
	error = seekable_reader_open(&reader->bytes, &reader->map, path, log);
	if (error)
		archive_reader_close(reader);
	return error;
}

static int refuse(const struct archive_reader *reader, int error,
		  const char *name, const char *text)
{
	log_message(reader->bytes.log, LOG_ERROR, reader->bytes.path,
		    LOG_NO_OFFSET, "%.200s: %s", name, text);
	return -error;
}

/* Reads the block at the reader's position. */
static int read_block(struct archive_reader *reader, struct tar_header *header)
{
	uint8_t block[TAR_BLOCK_BYTES];
	int status = seekable_reader_get(&reader->bytes, reader->next, block,
					 sizeof(block));

	if (status)
		return status;
	reader->next += sizeof(block);
	status = tar_header_read(header, block);
	return status < 0 ? refuse(reader, ERROR_FORMAT, "archive",
				   "a file's header is damaged") :
			    status;
}

/* Reads the records about the member whose block follows them. */
static int read_records(struct archive_reader *reader,
			struct tar_header *header)
{
	char text[2 * PATH_MAX];
	uint64_t size = header->size;
	int status;

	if (size >= sizeof(text))
		return refuse(reader, ERROR_FORMAT, "archive",
			      "a file's header is too long");
	status = seekable_reader_get(&reader->bytes, reader->next, text, size);
	if (status)
		return status;
	reader->next += tar_padded(size);
	status = read_block(reader, header);
	if (status <= 0)
		return status;
	return tar_records_read(header, text, size) < 0 ?
		       refuse(reader, ERROR_FORMAT, "archive",
			      "a file's header is damaged") :
		       1;
}

/* Folders' names may end with a slash. */
static bool is_name_good(char *name)
{
	size_t length = strlen(name);

	while (length && name[length - 1] == '/')
		name[--length] = '\0';
	return length && *name != '/' && !regular_file_goes_up(name) &&
	       !strstr(name, "//");
}

static int check_member(const struct archive_reader *reader,
			struct tar_header *header)
{
	uint64_t left = reader->bytes.size - reader->next;

	if (reader->count > BUDGET_ARCHIVE_FILES)
		return refuse(reader, ERROR_FORMAT, header->name,
			      "more files than any recording has");
	if (!is_name_good(header->name))
		return refuse(reader, ERROR_FORMAT, header->name,
			      "a name that leads out of the recording");
	if (header->type == TAR_FOLDER && !header->size)
		return 1;
	if (header->type != TAR_FILE && header->type != '\0')
		return refuse(reader, ERROR_UNSUPPORTED, header->name,
			      "neither a file nor a folder");
	if (header->size > left)
		return refuse(reader, ERROR_TRUNCATED, header->name,
			      "the archive ends inside this file");
	return 1;
}

int archive_reader_next(struct archive_reader *reader,
			struct archive_member *member)
{
	int status = read_block(reader, &member->header);

	if (status == 1 && member->header.type == TAR_RECORDS)
		status = read_records(reader, &member->header);
	if (status <= 0)
		return status;
	reader->count++;
	status = check_member(reader, &member->header);
	if (status < 0)
		return status;
	member->content = reader->next;
	reader->next += tar_padded(member->header.size);
	return 1;
}

void archive_reader_close(struct archive_reader *reader)
{
	seekable_reader_free(&reader->bytes);
	file_map_close(&reader->map);
}
