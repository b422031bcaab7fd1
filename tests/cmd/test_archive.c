/* SPDX-License-Identifier: MIT */
#include "archive/archive_file_internal.h"
#include "archive/seekable_internal.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct scratch_folder folder;
static char path[256];

static void set_up(void)
{
	folder = scratch_folder_new();
	scratch_folder_path(&folder, "archive", path, sizeof(path));
}

static void tear_down(void)
{
	scratch_folder_free(&folder);
}

static uint8_t byte_at(size_t at)
{
	return (uint8_t)(at * 7 + at / 251);
}

static uint8_t *make_bytes(size_t size)
{
	uint8_t *bytes = malloc(size + 1);

	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = byte_at(i);
	return bytes;
}

static void begin(struct seekable_writer *writer)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(seekable_writer_open(writer, fd, path, NULL), 0);
}

static void end(struct seekable_writer *writer)
{
	close(writer->fd);
	seekable_writer_free(writer);
}

/* Reads bytes at any offset, across frame borders, from frames of any size. */
START_TEST(any_bytes_can_be_read)
{
	const size_t size = 5 * SEEKABLE_FRAME_BYTES / 2;
	uint8_t *bytes = make_bytes(size);
	uint8_t *got = malloc(size);
	struct seekable_writer writer;
	struct seekable_reader reader;
	struct file_map map;

	begin(&writer);
	ck_assert_int_eq(seekable_writer_put(&writer, bytes, 100), 0);
	ck_assert_int_eq(seekable_writer_cut(&writer), 0);
	ck_assert_int_eq(seekable_writer_cut(&writer), 0);
	ck_assert_int_eq(seekable_writer_put(&writer, bytes + 100, size - 100),
			 0);
	ck_assert_int_eq(seekable_writer_finish(&writer), 0);
	end(&writer);
	ck_assert_int_eq(file_map_open(&map, path, NULL), 0);
	ck_assert_int_eq(seekable_reader_open(&reader, &map, path, NULL), 0);
	ck_assert_uint_eq(reader.size, size);
	ck_assert_uint_eq(reader.frames.count, 4);
	for (size_t at = 0; at < size; at += 99991) {
		size_t some = size - at < 150000 ? size - at : 150000;

		memset(got, 0xee, size);
		ck_assert_int_eq(seekable_reader_get(&reader, at, got, some),
				 0);
		ck_assert_mem_eq(got, bytes + at, some);
	}
	ck_assert_int_eq(seekable_reader_get(&reader, size - 1, got, 2),
			 -ERROR_TRUNCATED);
	ck_assert_int_eq(seekable_reader_get(&reader, UINT64_MAX, got, 2),
			 -ERROR_TRUNCATED);
	seekable_reader_free(&reader);
	file_map_close(&map);
	free(bytes);
	free(got);
}
END_TEST

static const struct {
	size_t name_length;
	char type;
	uint64_t size;
	struct timespec changed;
} headers[] = {
	{ 4, TAR_FILE, 0, { 0, 0 } },
	{ 100, TAR_FILE, 511, { 1700000000, 123456789 } },
	{ 101, TAR_FILE, 1ull << 33, { 1, 999999999 } },
	{ 4000, TAR_FOLDER, 0, { 1ll << 33, 1 } },
};

START_TEST(headers_come_back)
{
	struct tar_header header = {
		.type = headers[_i].type,
		.mode = 0640,
		.size = headers[_i].size,
		.changed = headers[_i].changed,
	};
	uint8_t block[TAR_BLOCK_BYTES];
	char records[2 * PATH_MAX];
	struct tar_header got;
	size_t length;

	memset(header.name, 'n', headers[_i].name_length);
	tar_header_write(&header, block);
	length = tar_records_write(&header, records, sizeof(records));
	ck_assert_int_eq(tar_header_read(&got, block), 1);
	ck_assert_int_eq(tar_records_read(&got, records, length), 0);
	ck_assert_str_eq(got.name, header.name);
	ck_assert_int_eq(got.type, header.type);
	ck_assert_uint_eq(got.mode, 0640);
	ck_assert_uint_eq(got.size, header.size);
	ck_assert_int_eq(got.changed.tv_sec, header.changed.tv_sec);
	ck_assert_int_eq(got.changed.tv_nsec, header.changed.tv_nsec);
	block[3] ^= 1;
	ck_assert_int_eq(tar_header_read(&got, block), -ERROR_FORMAT);
}
END_TEST

static const char *const bad_records[] = {
	"7 a=bb",	   "9 a=bb\n",	    "x a=b\n",
	"7 abbb\n",	   "0 a=b\n",	    "2 \n",
	"16 mtime=1.5x\n", "13 size=-12\n", "99999999999999999999 a=b\n",
};

START_TEST(bad_records_are_refused)
{
	struct tar_header header = { 0 };
	const char *text = bad_records[_i];

	ck_assert_int_eq(tar_records_read(&header, text, strlen(text)),
			 -ERROR_FORMAT);
}
END_TEST

/* Large files, which each start a frame, and small ones. */
START_TEST(members_come_back)
{
	static const size_t sizes[] = { 0, 511, 512, 70000, 3 << 20 };
	uint8_t *bytes = make_bytes(3 << 20);
	uint8_t *got = malloc(3 << 20);
	struct archive_reader reader;
	struct archive_member member;
	struct seekable_writer writer;
	char name[32];

	begin(&writer);
	for (size_t i = 0; i < 5; i++) {
		struct tar_header header = { .type = TAR_FILE,
					     .size = sizes[i] };

		snprintf(header.name, sizeof(header.name), "file%zu", i);
		ck_assert_int_eq(archive_add_bytes(&writer, &header, bytes), 0);
	}
	ck_assert_int_eq(archive_finish(&writer), 0);
	end(&writer);
	ck_assert_int_eq(archive_reader_open(&reader, path, NULL), 0);
	for (size_t i = 0; i < 5; i++) {
		ck_assert_int_eq(archive_reader_next(&reader, &member), 1);
		snprintf(name, sizeof(name), "file%zu", i);
		ck_assert_str_eq(member.header.name, name);
		ck_assert_uint_eq(member.header.size, sizes[i]);
		ck_assert_int_eq(seekable_reader_get(&reader.bytes,
						     member.content, got,
						     sizes[i]),
				 0);
		ck_assert_mem_eq(got, bytes, sizes[i]);
	}
	ck_assert_int_eq(archive_reader_next(&reader, &member), 0);
	archive_reader_close(&reader);
	free(bytes);
	free(got);
}
END_TEST

START_TEST(other_files_are_no_archives)
{
	struct archive_reader reader;

	scratch_folder_write(&folder, "archive", "PERFILE2 and then some more");
	ck_assert_int_eq(archive_reader_open(&reader, path, NULL),
			 -ERROR_UNSUPPORTED);
	scratch_folder_write(&folder, "archive", "");
	ck_assert_int_eq(archive_reader_open(&reader, path, NULL),
			 -ERROR_UNSUPPORTED);
	scratch_folder_write(&folder, "archive",
			     "\x28\xb5\x2f\xfd but then nothing of it");
	ck_assert_int_eq(archive_reader_open(&reader, path, NULL),
			 -ERROR_TRUNCATED);
}
END_TEST

SUITE("archive")
{
	FIXTURE(set_up, tear_down);
	TEST(any_bytes_can_be_read);
	TEST_TIMES(headers_come_back, 4);
	TEST_EACH(bad_records_are_refused, bad_records);
	TEST(members_come_back);
	TEST(other_files_are_no_archives);
}
