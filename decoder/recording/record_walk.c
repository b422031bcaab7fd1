/* SPDX-License-Identifier: MIT */
#include "decoder/recording/record_walk.h"

#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/file_io.h"
#include "common/files/file_map.h"
#include "common/files/regular_file.h"
#include "common/formats/perf_data.h"
#include "common/log.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* The records of a perf.data file, in three layers: struct data_file checks the
 * head and the sections; struct record_store finds the ranges of complete
 * records, and unpacks those in COMPRESSED records into a temporary file;
 * struct record_walk steps through them. The file is untrusted: at a record
 * that is damaged the store ends, with a message that names its offset
 * (stop_at()).
 */

/* The unpacking of COMPRESSED records. Records are at most 64 KiB, so the bytes
 * of the last, incomplete record are all that is buffered to find where records
 * end.
 */
struct record_unpack {
	const struct log *log;
	ZSTD_DStream *zstd;
	int fd;		 /* -1 until something was unpacked */
	uint64_t packed; /* compressed bytes so far */
	uint64_t size;	 /* unpacked bytes in the file */
	uint64_t whole;	 /* part of size: bytes of complete records */
	uint8_t *rest;	 /* the bytes of the incomplete record at the end */
	size_t rest_size;
	size_t rest_room;
};

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

/* Limits the data to the end of the file. A recorder that was killed leaves a
 * data size of 0.
 */
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
	*file = (struct data_file){
		.path = path,
		.log = log,
		.parts = ARRAY_OF(struct data_part),
	};

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

static void close_part(struct data_part *part)
{
	if (part->fd >= 0)
		close(part->fd);
	part->fd = -1;
}

void data_file_close(struct data_file *file)
{
	for (size_t i = 0; i < file->parts.count; i++)
		close_part(array_at(&file->parts, i));
	array_free(&file->parts);
	file_map_close(&file->map);
	if (file->has_fd)
		close(file->fd);
	file->has_fd = false;
}

bool data_file_copy(const struct data_file *file, const uint8_t *bytes,
		    size_t size, void *to)
{
	const struct data_part *parts = file->parts.items;
	uintptr_t at = (uintptr_t)bytes - (uintptr_t)file->map.bytes;
	size_t i = file->parts.count;

	if (!file->has_fd || at > file->map.size || size > file->map.size - at)
		return false;
	while (i && parts[i - 1].start > at)
		i--;
	return i ? parts[i - 1].fd >= 0 && !read_at(parts[i - 1].fd, to, size,
						    at - parts[i - 1].start) :
		   !read_at(file->fd, to, size, at);
}

/* Limit of the parts that are read by their descriptors. */
enum { MOST_OPEN_PARTS = 256 };

static bool is_packed(const struct data_part *part)
{
	return strchr(part->name, 'z');
}

/* Returns whether @name is data.NUMBER or data.NUMBER.zst. */
static bool is_part(const char *name, struct data_part *part)
{
	char plain[sizeof(part->name)];
	char packed[sizeof(part->name)];

	*part = (struct data_part){ .fd = -1 };
	if (sscanf(name, "data.%u", &part->number) != 1)
		return false;
	snprintf(plain, sizeof(plain), "data.%u", part->number);
	snprintf(packed, sizeof(packed), "data.%u.zst", part->number);
	if (strcmp(name, plain) && strcmp(name, packed))
		return false;
	strcpy(part->name, name);
	return true;
}

static int list_parts(struct data_file *file, const char *folder)
{
	DIR *names = opendir(folder);
	struct dirent *entry;
	int error = 0;

	while (names && !error && (entry = readdir(names))) {
		struct data_part part;

		if (is_part(entry->d_name, &part))
			error = array_append(&file->parts, &part);
	}
	if (names)
		closedir(names);
	array_sort_by(&file->parts, KEYS(RISING(struct data_part, number)));
	if (file->parts.count > BUDGET_STREAMS) {
		log_message(file->log, LOG_WARNING, folder, LOG_NO_OFFSET,
			    "it has %zu files of trace; only the first %u are "
			    "used",
			    file->parts.count, BUDGET_STREAMS);
		file->parts.count = BUDGET_STREAMS;
	}
	return error;
}

/* The sizes of all parts that were decompressed so far. */
struct part_sizes {
	uint64_t packed;
	uint64_t unpacked;
};

/* Appends the content of @map, decompressed, to the file open as @fd, up to
 * where it is damaged or ends too early, and adds its sizes to @sizes. Sets
 * *@reason to the reason if it stops early, else to NULL. Returns 0 or
 * -ERROR_SYSTEM.
 */
static int decompress(const struct file_map *map, int fd, const struct log *log,
		      struct part_sizes *sizes, const char **reason)
{
	ZSTD_DStream *zstd = ZSTD_createDStream();
	ZSTD_inBuffer in = { map->bytes, map->size, 0 };
	size_t left = map->size;
	uint8_t chunk[128 * 1024];
	int error = 0;

	sizes->packed += map->size;
	*reason = zstd ? NULL : "out of memory";
	/* A file may have several frames, one after the other. */
	while (!error && !*reason && (left || in.pos < in.size)) {
		ZSTD_outBuffer out = { chunk, sizeof(chunk), 0 };
		size_t before = in.pos;

		left = ZSTD_decompressStream(zstd, &out, &in);
		if (ZSTD_isError(left))
			*reason = "it does not decompress";
		else if (left && !out.pos && in.pos == before)
			*reason = "it ends too early";
		else if ((sizes->unpacked += out.pos) >
			 budget_unpacked(sizes->packed))
			*reason = "it decompresses to more than any recorder's "
				  "would";
		else
			error = file_map_append(fd, chunk, out.pos, log);
	}
	ZSTD_freeDStream(zstd);
	return error;
}

/* Replaces the descriptor of @part by one of its decompressed content. */
static int unpack_part(const struct data_file *file, struct data_part *part,
		       const char *path, struct part_sizes *sizes)
{
	struct file_map packed;
	const char *reason = NULL;
	int fd = file_map_temporary(file->log);
	int error = fd < 0 ? -ERROR_SYSTEM : 0;

	if (!error)
		error = file_map_open_fd(&packed, part->fd);
	if (!error) {
		error = decompress(&packed, fd, file->log, sizes, &reason);
		file_map_close(&packed);
	}
	if (reason)
		log_message(file->log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "%s; what follows is not used", reason);
	close(part->fd);
	part->fd = fd;
	return error;
}

/* Opens @part and finds its size, which is 0 if it cannot be read. */
static int open_part(const struct data_file *file, const char *folder,
		     struct data_part *part, struct part_sizes *sizes)
{
	char path[PATH_MAX];
	struct stat stat;
	int error = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, part->name);
	part->fd = regular_file_open_beneath(folder, part->name);
	if (part->fd < 0) {
		log_message(file->log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "left out: %s", regular_file_error(errno));
		return 0;
	}
	if (is_packed(part))
		error = unpack_part(file, part, path, sizes);
	if (!error && fstat(part->fd, &stat) < 0)
		error = -ERROR_SYSTEM;
	if (!error)
		part->size = (uint64_t)stat.st_size;
	return error;
}

static bool map_at(uint8_t *to, int fd, uint64_t size)
{
	return !size || mmap(to, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd,
			     0) != MAP_FAILED;
}

/* Maps the file and its parts into one range of addresses. */
static int map_parts(struct data_file *file)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct data_part *parts = file->parts.items;
	uint64_t end = file->map.size;
	uint8_t *bytes;
	bool is_mapped;

	for (size_t i = 0; i < file->parts.count; i++) {
		parts[i].start = (end + page - 1) & -page;
		end = parts[i].start + parts[i].size;
	}
	bytes = mmap(NULL, end, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return -ERROR_MEMORY;
	is_mapped = map_at(bytes, file->fd, file->map.size);
	for (size_t i = 0; i < file->parts.count && is_mapped; i++)
		is_mapped = map_at(bytes + parts[i].start, parts[i].fd,
				   parts[i].size);
	if (!is_mapped) {
		munmap(bytes, end);
		return -ERROR_MEMORY;
	}
	file_map_close(&file->map);
	file->map = (struct file_map){ bytes, end };
	return 0;
}

int data_file_add_parts(struct data_file *file, const char *folder)
{
	int error = list_parts(file, folder);
	struct data_part *parts = file->parts.items;
	struct part_sizes sizes = { 0 };

	for (size_t i = 0; i < file->parts.count && !error; i++)
		error = open_part(file, folder, &parts[i], &sizes);
	if (!error && file->parts.count)
		error = map_parts(file);
	for (size_t i = MOST_OPEN_PARTS; i < file->parts.count; i++)
		close_part(&parts[i]);
	return error;
}

/* The sections of features are in the order of their bits, without absent ones.
 */
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

/* Returns the number of bytes after the record that its size does not include.
 */
static uint64_t trailer_size_of(const struct record *record)
{
	struct byte_reader reader = byte_reader_of(record->bytes, record->size);

	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE);
	switch (record->type) {
	case PERF_DATA_AUXTRACE:
		return byte_reader_u64(&reader);
	case PERF_DATA_TRACING_DATA:
		return ((uint64_t)byte_reader_u32(&reader) + 7) & ~7ull;
	default:
		return 0;
	}
}

const char *record_frame_read(const uint8_t *bytes, uint64_t size,
			      struct record *record, uint64_t *length)
{
	struct byte_reader reader = byte_reader_of(bytes, size);

	*record = (struct record){ .bytes = bytes };
	record->type = byte_reader_u32(&reader);
	record->misc = byte_reader_u16(&reader);
	record->size = byte_reader_u16(&reader);
	if (reader.failed)
		return "the file ends inside a record";
	if (record->size < PERF_DATA_RECORD_HEADER_SIZE)
		return "a record is shorter than its own header";
	if (record->size > size)
		return "the file ends inside a record";

	uint64_t left = size - record->size;

	record->trailer = bytes + record->size;
	record->trailer_size = trailer_size_of(record);
	record->trailer_cut = record->trailer_size > left;
	if (record->trailer_cut)
		record->trailer_size = left;
	*length = record->size + record->trailer_size;
	return NULL;
}

enum { CHUNK_SIZE = 128 * 1024 };

static void record_unpack_close(struct record_unpack *unpack)
{
	ZSTD_freeDStream(unpack->zstd);
	if (unpack->fd >= 0)
		close(unpack->fd);
	free(unpack->rest);
}

static const char *begin(struct record_unpack *unpack)
{
	if (unpack->fd >= 0)
		return NULL;
	unpack->zstd = ZSTD_createDStream();
	unpack->fd = file_map_temporary(unpack->log);
	if (!unpack->zstd || unpack->fd < 0)
		return "no room to unpack compressed records";
	return NULL;
}

static const char *keep(struct record_unpack *unpack, const uint8_t *bytes,
			size_t size)
{
	if (unpack->rest_size + size > unpack->rest_room) {
		size_t room = (unpack->rest_size + size) * 2;
		uint8_t *rest = realloc(unpack->rest, room);

		if (!rest)
			return "out of memory while unpacking";
		unpack->rest = rest;
		unpack->rest_room = room;
	}
	memcpy(unpack->rest + unpack->rest_size, bytes, size);
	unpack->rest_size += size;
	unpack->size += size;
	if (unpack->size > budget_unpacked(unpack->packed))
		return "compressed records unpack to more than any recorder's "
		       "would";
	if (file_map_append(unpack->fd, bytes, size, unpack->log) < 0)
		return "no room to unpack compressed records";
	return NULL;
}

/* Removes the complete records from the buffered bytes and adds their size to
 * unpack->whole. Less than one record remains buffered, whatever the total
 * size. Returns NULL or a text that describes the error.
 */
static const char *consume_whole(struct record_unpack *unpack)
{
	const char *reason = NULL;
	size_t at = 0;

	while (unpack->rest_size - at >= PERF_DATA_RECORD_HEADER_SIZE) {
		struct byte_reader reader = byte_reader_of(
			unpack->rest + at, unpack->rest_size - at);

		byte_reader_bytes(&reader, 6);

		size_t size = byte_reader_u16(&reader);

		if (size < PERF_DATA_RECORD_HEADER_SIZE)
			reason = "a compressed record is malformed inside";
		if (reason || size > unpack->rest_size - at)
			break;
		at += size;
	}
	unpack->rest_size -= at;
	if (at)
		memmove(unpack->rest, unpack->rest + at, unpack->rest_size);
	unpack->whole += at;
	return reason;
}

static const char *inflate(struct record_unpack *unpack, const uint8_t *bytes,
			   size_t size)
{
	uint8_t chunk[CHUNK_SIZE];
	ZSTD_inBuffer in = { bytes, size, 0 };
	const char *reason = NULL;
	bool full = false;

	while (!reason && (in.pos < in.size || full)) {
		ZSTD_outBuffer out = { chunk, sizeof(chunk), 0 };
		size_t status = ZSTD_decompressStream(unpack->zstd, &out, &in);

		if (ZSTD_isError(status))
			return "a compressed record does not unpack";
		if (!out.pos && in.pos == in.size)
			break;
		full = out.pos == out.size;
		if (out.pos)
			reason = keep(unpack, chunk, out.pos);
		if (!reason)
			reason = consume_whole(unpack);
	}
	return reason;
}

/* Unpacks @record. *@offset and *@size are the range of unpacked bytes with the
 * records that it completes; *@size may be 0.
 *
 * Returns NULL or a text that describes the error.
 */
static const char *record_unpack_add(struct record_unpack *unpack,
				     const struct record *record,
				     uint64_t *offset, uint64_t *size)
{
	struct byte_reader reader = byte_reader_of(record->bytes, record->size);
	const char *reason = begin(unpack);

	*offset = unpack->whole;
	*size = 0;
	if (reason)
		return reason;
	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE);

	size_t packed_size = byte_reader_left(&reader);

	if (record->type == PERF_DATA_COMPRESSED2) {
		uint64_t stated = byte_reader_u64(&reader);

		packed_size = byte_reader_left(&reader);
		if (stated < packed_size)
			packed_size = stated;
	}
	unpack->packed += packed_size;
	reason = inflate(unpack, record->bytes + reader.position, packed_size);

	*size = unpack->whole - *offset;
	return reason;
}

/* Maps all unpacked bytes. Returns 0 or a negative enum error. */
static int record_unpack_finish(struct record_unpack *unpack,
				struct file_map *map)
{
	*map = (struct file_map){ 0 };
	if (unpack->fd < 0)
		return 0;
	return file_map_open_fd(map, unpack->fd);
}

/* Bytes are given back to the system in steps of this size. */
#define RELEASE_STEP ((uint64_t)4 << 20)

/* A range of complete records, in the file or in the unpacked bytes. */
struct record_span {
	bool is_unpacked;
	uint64_t offset;
	uint64_t size;
	uint64_t file_offset; /* of the container, if unpacked */
};

static int add_span(struct record_store *store, struct record_span span)
{
	if (!span.size)
		return 0;

	return array_append(&store->spans, &span);
}

static void stop_at(struct record_store *store, uint64_t offset,
		    const char *reason)
{
	if (store->stop_reason)
		return;
	store->stop_reason = reason;
	log_message(store->file->log, LOG_WARNING, store->file->path, offset,
		    "%s; what follows is not used", reason);
}

/* Releases the file's pages before @end. A search for records only reads
 * headers, but the system maps several pages around each.
 */
static void give_back(const struct data_file *file, uint64_t *released,
		      uint64_t end)
{
	if (end >= *released + RELEASE_STEP)
		*released = pages_release(file->map.bytes, *released, end);
}

/* Adds the complete records of a part. Damage in it ends this part only. */
static int add_part(struct record_store *store, const struct data_part *part)
{
	const struct data_file *file = store->file;
	const uint8_t *bytes = file->map.bytes + part->start;
	struct record_span span = { .offset = part->start };
	uint64_t released = part->start;
	const char *folder_end = strrchr(file->path, '/');
	const char *reason = NULL;
	char path[4096];

	while (span.size < part->size) {
		struct record record;
		uint64_t length;

		reason = record_frame_read(bytes + span.size,
					   part->size - span.size, &record,
					   &length);
		if (reason)
			break;
		span.size += length;
		give_back(file, &released, part->start + span.size);
	}
	if (reason) {
		snprintf(path, sizeof(path), "%.*s%s",
			 folder_end ? (int)(folder_end + 1 - file->path) : 0,
			 file->path, part->name);
		log_message(file->log, LOG_WARNING, path, span.size,
			    "%s; what follows is not used", reason);
	}
	return add_span(store, span);
}

/* Unpacks one container; the records that it completes become a span. */
static int add_container(struct record_store *store,
			 struct record_unpack *unpack,
			 const struct record *record)
{
	struct record_span span = {
		.is_unpacked = true,
		.file_offset = record->file_offset,
	};
	const char *reason =
		record_unpack_add(unpack, record, &span.offset, &span.size);

	if (reason)
		stop_at(store, record->file_offset, reason);
	return add_span(store, span);
}

static bool is_container(const struct record *record)
{
	return record->type == PERF_DATA_COMPRESSED ||
	       record->type == PERF_DATA_COMPRESSED2;
}

static int find_spans(struct record_store *store, struct record_unpack *unpack)
{
	const struct data_file *file = store->file;
	const uint8_t *bytes = file->map.bytes + file->data_offset;
	struct record_span plain = { .offset = file->data_offset };
	uint64_t released = 0;
	uint64_t at = 0;

	while (at < file->data_size && !store->stop_reason) {
		struct record record;
		uint64_t length;
		const char *reason = record_frame_read(
			bytes + at, file->data_size - at, &record, &length);

		record.file_offset = file->data_offset + at;
		if (reason) {
			stop_at(store, record.file_offset, reason);
			break;
		}
		at += length;
		give_back(file, &released, record.file_offset);
		store->has_attributes |= record.type == PERF_DATA_ATTR ||
					 is_container(&record);
		if (!is_container(&record)) {
			plain.size += length;
			continue;
		}
		if (add_span(store, plain) < 0 ||
		    add_container(store, unpack, &record) < 0)
			return -ERROR_MEMORY;
		plain = (struct record_span){ .offset =
						      file->data_offset + at };
	}
	return add_span(store, plain);
}

int record_store_open(struct record_store *store, const struct data_file *file)
{
	*store = (struct record_store){ 0 };
	return record_store_reopen(store, file);
}

int record_store_reopen(struct record_store *store,
			const struct data_file *file)
{
	struct record_unpack unpack = { .log = file->log, .fd = -1 };
	struct array spans = store->spans;
	int error;

	file_map_close(&store->unpacked);
	spans.item_size = sizeof(struct record_span);
	spans.count = 0;
	*store = (struct record_store){ .file = file, .spans = spans };
	error = find_spans(store, &unpack);
	for (size_t i = 0; i < file->parts.count && !error; i++)
		error = add_part(store, array_at(&file->parts, i));
	if (!error)
		error = record_unpack_finish(&unpack, &store->unpacked);
	record_unpack_close(&unpack);
	return error;
}

void record_store_close(struct record_store *store)
{
	array_free(&store->spans);
	file_map_close(&store->unpacked);
}

struct record_walk record_walk_of(const struct record_store *store)
{
	return (struct record_walk){ .store = store };
}

static const uint8_t *bytes_of(const struct record_store *store,
			       const struct record_span *span)
{
	return span->is_unpacked ? store->unpacked.bytes :
				   store->file->map.bytes;
}

int record_walk_next(struct record_walk *walk, struct record *record)
{
	const struct record_store *store = walk->store;

	while (walk->span < store->spans.count) {
		const struct record_span *span =
			array_at(&store->spans, walk->span);
		const uint8_t *bytes = bytes_of(store, span);
		uint64_t at = span->offset + walk->offset;
		uint64_t length;

		if (walk->offset >= span->size ||
		    record_frame_read(bytes + at, span->size - walk->offset,
				      record, &length)) {
			walk->span++;
			walk->offset = 0;
			continue;
		}
		record->file_offset = span->is_unpacked ? span->file_offset :
							  at;
		walk->offset += length;
		return 1;
	}
	return 0;
}

void record_walk_release(struct record_walk *walk,
			 const struct record_walk *place)
{
	const struct record_store *store = walk->store;
	const struct record_span *span;
	const uint8_t *bytes;
	uint64_t *released;
	uint64_t end;

	if (place->span >= store->spans.count)
		return;
	span = array_at(&store->spans, place->span);
	released = &walk->released[span->is_unpacked];
	end = span->offset + place->offset;
	if (end < *released + RELEASE_STEP)
		return;
	bytes = bytes_of(store, span);
	*released = pages_release(bytes, *released, end);
}

void record_store_release(const struct record_store *store,
			  const uint8_t *bytes, uint64_t *released)
{
	const struct file_map *map = &store->file->map;
	uint64_t at = (uint64_t)((uintptr_t)bytes - (uintptr_t)map->bytes);

	if (at < map->size && at >= *released + RELEASE_STEP)
		*released = pages_release(map->bytes, *released, at);
}
