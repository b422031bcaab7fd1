/* SPDX-License-Identifier: MIT */
#include "archive/archive_file_internal.h"
#include "archive/file_archive.h"

#include "common/budget.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/files/regular_file.h"
#include "common/log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The fields of POSIX's ustar header block. */
struct ustar {
	char name[100];
	char mode[8];
	char owner[8];
	char group[8];
	char size[12];
	char changed[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[6];
	char version[2];
	char owner_name[32];
	char group_name[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char unused[12];
};

_Static_assert(sizeof(struct ustar) == TAR_BLOCK_BYTES, "a block");

/* The greatest number that fits into a field of eleven octal digits. */
#define MOST 077777777777ull

/* Returns the size of a member including the padding of its last block. */
static uint64_t padded_size(uint64_t size)
{
	return (size + TAR_BLOCK_BYTES - 1) / TAR_BLOCK_BYTES * TAR_BLOCK_BYTES;
}

static unsigned int sum(const struct ustar *block)
{
	const uint8_t *bytes = (const uint8_t *)block;
	unsigned int total = 0;

	for (size_t i = 0; i < TAR_BLOCK_BYTES; i++) {
		bool is_sum = i >= offsetof(struct ustar, checksum) &&
			      i < offsetof(struct ustar, type);

		total += is_sum ? ' ' : bytes[i];
	}
	return total;
}

/* Writes 0 for a number that does not fit: the member's pax records have it. */
static void write_number(char *field, size_t room, uint64_t number)
{
	snprintf(field, room, "%0*llo", (int)room - 1,
		 (unsigned long long)(number <= MOST ? number : 0));
}

void tar_header_write(const struct tar_header *header,
		      uint8_t block[TAR_BLOCK_BYTES])
{
	struct ustar ustar = { .type = header->type };

	memcpy(ustar.name, header->name,
	       strnlen(header->name, sizeof(ustar.name)));
	write_number(ustar.mode, sizeof(ustar.mode), header->mode & 07777);
	write_number(ustar.owner, sizeof(ustar.owner), 0);
	write_number(ustar.group, sizeof(ustar.group), 0);
	write_number(ustar.size, sizeof(ustar.size), header->size);
	write_number(ustar.changed, sizeof(ustar.changed),
		     (uint64_t)header->changed.tv_sec);
	memcpy(ustar.magic, "ustar", 6);
	memcpy(ustar.version, "00", 2);
	snprintf(ustar.checksum, sizeof(ustar.checksum), "%06o", sum(&ustar));
	ustar.checksum[7] = ' ';
	memcpy(block, &ustar, TAR_BLOCK_BYTES);
}

/* Reads octal digits up to a blank, a NUL or the end of the field. Returns
 * whether there are any, and nothing else before that.
 */
static bool read_octal(const char *field, size_t room, uint64_t *number)
{
	size_t i = 0;

	*number = 0;
	for (; i < room && field[i] >= '0' && field[i] <= '7'; i++)
		*number = *number * 8 + (uint64_t)(field[i] - '0');
	return i && (i == room || !field[i] || field[i] == ' ');
}

int tar_header_read(struct tar_header *header,
		    const uint8_t block[TAR_BLOCK_BYTES])
{
	static const uint8_t end[TAR_BLOCK_BYTES];
	struct ustar ustar;
	uint64_t mode;
	uint64_t changed;
	uint64_t checksum;

	if (!memcmp(block, end, sizeof(end)))
		return 0;
	memcpy(&ustar, block, sizeof(ustar));
	*header = (struct tar_header){ .type = ustar.type };
	if (!read_octal(ustar.mode, sizeof(ustar.mode), &mode) ||
	    !read_octal(ustar.size, sizeof(ustar.size), &header->size) ||
	    !read_octal(ustar.changed, sizeof(ustar.changed), &changed) ||
	    !read_octal(ustar.checksum, 7, &checksum) ||
	    memcmp(ustar.magic, "ustar", 5) || checksum != sum(&ustar))
		return -ERROR_FORMAT;
	memcpy(header->name, ustar.name, sizeof(ustar.name));
	header->mode = (mode_t)mode & 0777;
	header->changed.tv_sec = (time_t)changed;
	return 1;
}

/* Writes the pax record "LENGTH KEY=VALUE\n", where LENGTH counts its own
 * digits. Returns its length.
 */
static size_t write_record(char *text, size_t room, const char *key,
			   const char *value)
{
	size_t length = strlen(key) + strlen(value) + 3;
	char digits[24];
	size_t whole = length + 1;

	while (whole !=
	       length + (size_t)snprintf(digits, sizeof(digits), "%zu", whole))
		whole++;
	return (size_t)snprintf(text, room, "%s %s=%s\n", digits, key, value);
}

size_t tar_records_write(const struct tar_header *header, char *text,
			 size_t room)
{
	char value[64];
	size_t length;

	snprintf(value, sizeof(value), "%lld.%09ld",
		 (long long)header->changed.tv_sec, header->changed.tv_nsec);
	length = write_record(text, room, "mtime", value);
	if (strlen(header->name) > sizeof(((struct ustar *)0)->name))
		length += write_record(text + length, room - length, "path",
				       header->name);
	snprintf(value, sizeof(value), "%llu",
		 (unsigned long long)header->size);
	if (header->size > MOST)
		length += write_record(text + length, room - length, "size",
				       value);
	return length;
}

static bool read_time(const char *text, struct timespec *time)
{
	char *end;

	time->tv_sec = strtoll(text, &end, 10);
	time->tv_nsec = *end == '.' ? strtol(end + 1, &end, 10) : 0;
	return !*end && time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
}

static bool read_size(const char *text, uint64_t *size)
{
	char *end;

	*size = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end;
}

static bool consume_record(struct tar_header *header, char *record)
{
	char *value = strchr(record, '=');

	if (!value)
		return false;
	*value++ = '\0';
	if (!strcmp(record, "mtime"))
		return read_time(value, &header->changed);
	if (!strcmp(record, "size"))
		return read_size(value, &header->size);
	if (strcmp(record, "path"))
		return true;
	return snprintf(header->name, sizeof(header->name), "%s", value) <
	       (int)sizeof(header->name);
}

int tar_records_read(struct tar_header *header, const char *text, size_t size)
{
	char copy[2 * PATH_MAX];
	char *next = copy;

	if (size >= sizeof(copy) || memchr(text, '\0', size))
		return -ERROR_FORMAT;
	memcpy(copy, text, size);
	copy[size] = '\0';
	while (*next) {
		char *rest;
		size_t length = strtoul(next, &rest, 10);
		size_t digits = (size_t)(rest - next);

		if (!digits || *rest != ' ' || length < digits + 2 ||
		    length > size - (size_t)(next - copy) ||
		    next[length - 1] != '\n')
			return -ERROR_FORMAT;
		next[length - 1] = '\0';
		if (!consume_record(header, rest + 1))
			return -ERROR_FORMAT;
		next += length;
	}
	return 0;
}

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

/* Reads the pax records of a member and the header block that follows them. */
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
	reader->next += padded_size(size);
	status = read_block(reader, header);
	if (status <= 0)
		return status;
	return tar_records_read(header, text, size) < 0 ?
		       refuse(reader, ERROR_FORMAT, "archive",
			      "a file's header is damaged") :
		       1;
}

/* Removes slashes at the end, which folders' names may have. Returns whether
 * the name cannot lead out of the folder that is unpacked to.
 */
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
	reader->next += padded_size(member->header.size);
	return 1;
}

void archive_reader_close(struct archive_reader *reader)
{
	seekable_reader_free(&reader->bytes);
	file_map_close(&reader->map);
}

/* Files of this size or more have frames of their own, so that they can be read
 * without unpacking other files.
 */
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
					   padded_size(size) - size);
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

int archive_add_pieces(struct seekable_writer *writer,
		       const struct tar_header *header,
		       const struct data_piece *pieces, size_t count)
{
	static const uint8_t zeros[TAR_BLOCK_BYTES];
	bool is_large = header->size >= LARGE_BYTES;
	int error = put_header(writer, header);

	if (!error && is_large)
		error = seekable_writer_cut(writer);
	for (size_t i = 0; i < count && !error; i++)
		error = seekable_writer_put(writer, pieces[i].bytes,
					    pieces[i].size);
	if (!error)
		error = seekable_writer_put(writer, zeros,
					    padded_size(header->size) -
						    header->size);
	return !error && is_large ? seekable_writer_cut(writer) : error;
}

int archive_add_bytes(struct seekable_writer *writer,
		      const struct tar_header *header, const uint8_t *bytes)
{
	const struct data_piece piece = { bytes, header->size };

	return archive_add_pieces(writer, header, &piece, 1);
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

int file_archive_write(int fd, const char *path,
		       const struct archived_file *files, size_t count,
		       const struct log *log)
{
	struct seekable_writer writer;
	int error = seekable_writer_open(&writer, fd, path, log);

	for (size_t i = 0; !error && i < count; i++)
		error = archive_add_file(&writer, files[i].path, files[i].name);
	if (!error)
		error = archive_finish(&writer);
	seekable_writer_free(&writer);
	return error;
}
