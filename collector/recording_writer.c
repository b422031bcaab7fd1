/* SPDX-License-Identifier: MIT */
#include "collector/recording_writer.h"
#include "collector/byte_buffer.h"
#include "collector/event_list.h"
#include "collector/feature.h"
#include "common/error.h"
#include "common/log.h"
#include "common/perf_data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct section {
	uint64_t offset;
	uint64_t size;
};

/* The file's first bytes. */
struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct section attrs;
	struct section data;
	struct section event_types;
	uint64_t features[PERF_DATA_FEATURE_BITS / 64];
};

_Static_assert(sizeof(struct file_header) == PERF_DATA_HEADER_SIZE, "header");

struct recording_writer {
	char *path;
	const struct log *log;
	int fd;
	int error;    /* of the write that failed */
	uint64_t end; /* of the last whole record */
	uint64_t round_end;
	uint64_t trace_bytes;
	struct file_header header;
	struct array index;   /* struct section: the AUXTRACE records */
	struct array offsets; /* uint64_t, per ring: bytes of trace so far */
};

static int fail(struct recording_writer *writer)
{
	int cause = errno;

	writer->error = -ERROR_SYSTEM;
	log_message(writer->log, LOG_ERROR, writer->path, writer->end,
		    "cannot write: %s%s", strerror(cause),
		    cause == ENOSPC || cause == EDQUOT
			    ? "; free some space or choose another place "
			      "with -o; what is whole is kept"
			    : "");
	/* Half a record would end what readers can follow. */
	if (ftruncate(writer->fd, (off_t)writer->end) < 0)
		return writer->error;
	return writer->error;
}

/* Writes all of @parts, which it uses up, at the end of the file. */
static int append(struct recording_writer *writer, struct iovec *parts,
		  int count)
{
	uint64_t at = writer->end;

	if (writer->error)
		return writer->error;
	while (count) {
		ssize_t done = pwritev(writer->fd, parts, count, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return fail(writer);
		at += (uint64_t)done;
		while (count && (size_t)done >= parts->iov_len) {
			done -= (ssize_t)parts->iov_len;
			parts++;
			count--;
		}
		if (count) {
			parts->iov_base = (uint8_t *)parts->iov_base + done;
			parts->iov_len -= (size_t)done;
		}
	}
	writer->end = at;
	return 0;
}

int recording_writer_add(struct recording_writer *writer,
			 const struct byte_buffer *records)
{
	struct iovec part = { records->bytes, records->size };

	if (records->failed)
		return -ERROR_MEMORY;
	return append(writer, &part, 1);
}

int recording_writer_add_ring(struct recording_writer *writer,
			      const struct ring_bytes *records)
{
	struct iovec parts[2] = { records->part[0], records->part[1] };

	return append(writer, parts, 2);
}

/* struct perf_record_auxtrace */
struct trace_record {
	struct perf_event_header header;
	uint64_t size;
	uint64_t offset;
	uint64_t reference;
	uint32_t index;
	uint32_t thread;
	uint32_t cpu;
	uint32_t reserved;
};

static uint64_t *offset_of(struct recording_writer *writer, uint32_t index)
{
	while (writer->offsets.count <= index)
		if (!array_add(&writer->offsets))
			return NULL;
	return array_at(&writer->offsets, index);
}

int recording_writer_add_trace(struct recording_writer *writer, uint32_t index,
			       int cpu, const struct ring_bytes *trace)
{
	static const uint8_t zeros[8];
	uint64_t *offset = offset_of(writer, index);
	struct section *entry = array_add(&writer->index);
	size_t padding = (8 - trace->size % 8) % 8;
	struct trace_record record = {
		.header = { PERF_DATA_AUXTRACE, 0, sizeof(record) },
		.size = trace->size + padding,
		.reference = writer->index.count,
		.index = index,
		.thread = UINT32_MAX,
		.cpu = (uint32_t)cpu,
	};
	struct iovec parts[4] = {
		{ &record, sizeof(record) },
		trace->part[0],
		trace->part[1],
		{ (void *)(uintptr_t)zeros, padding },
	};

	if (!offset || !entry)
		return -ERROR_MEMORY;
	record.offset = *offset;
	*entry = (struct section){ writer->end, sizeof(record) };
	if (append(writer, parts, 4)) {
		writer->index.count--;
		return writer->error;
	}
	*offset += trace->size;
	writer->trace_bytes += trace->size;
	return 0;
}

static int write_header(struct recording_writer *writer)
{
	struct iovec part = { &writer->header, sizeof(writer->header) };

	if (pwritev(writer->fd, &part, 1, 0) != (ssize_t)part.iov_len)
		return fail(writer);
	return 0;
}

static void count_data(struct recording_writer *writer)
{
	writer->header.data.size = writer->end - writer->header.data.offset;
	writer->round_end = writer->end;
}

int recording_writer_end_round(struct recording_writer *writer)
{
	struct perf_event_header record = {
		.type = PERF_DATA_FINISHED_ROUND,
		.size = sizeof(record),
	};
	struct iovec part = { &record, sizeof(record) };

	if (writer->end == writer->round_end)
		return 0;
	if (append(writer, &part, 1))
		return writer->error;
	count_data(writer);
	return write_header(writer);
}

/* The ids come first, then the attrs that point to them. */
static void add_attrs(struct recording_writer *writer,
		      const struct event_list *list, struct byte_buffer *bytes)
{
	const struct event_spec *specs = list->specs.items;
	const struct event *events = list->events.items;
	struct section ids = { sizeof(struct file_header), 0 };
	struct byte_buffer attrs = { 0 };

	for (size_t i = 0; i < list->specs.count; i++) {
		for (size_t j = 0; j < list->events.count; j++)
			if (events[j].spec == i)
				byte_buffer_u64(bytes, events[j].id);
		ids.size =
			sizeof(struct file_header) + bytes->size - ids.offset;
		byte_buffer_add(&attrs, &specs[i].attr, specs[i].attr.size);
		byte_buffer_add(&attrs, &ids, sizeof(ids));
		ids.offset += ids.size;
	}
	writer->header.attrs.offset = ids.offset;
	writer->header.attrs.size = attrs.size;
	byte_buffer_add(bytes, attrs.bytes, attrs.size);
	bytes->failed |= attrs.failed;
	byte_buffer_free(&attrs);
}

static int write_front(struct recording_writer *writer,
		       const struct event_list *events)
{
	struct byte_buffer bytes = { 0 };
	int error;

	memcpy(writer->header.magic, PERF_DATA_MAGIC, 8);
	writer->header.size = sizeof(writer->header);
	writer->header.attr_size = PERF_ATTR_SIZE_VER7 + sizeof(struct section);
	add_attrs(writer, events, &bytes);
	writer->end = sizeof(writer->header);
	error = recording_writer_add(writer, &bytes);
	byte_buffer_free(&bytes);
	writer->header.data.offset = writer->end;
	count_data(writer);
	return error ? error : write_header(writer);
}

int recording_writer_create(const char *path, const struct event_list *events,
			    const struct log *log,
			    struct recording_writer **writer)
{
	struct recording_writer *new = calloc(1, sizeof(*new));
	int error = -ERROR_MEMORY;

	if (!new)
		return error;
	new->log = log;
	new->index = ARRAY_OF(struct section);
	new->offsets = ARRAY_OF(uint64_t);
	new->path = strdup(path);
	new->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (!new->path)
		goto fail;
	error = -ERROR_SYSTEM;
	if (new->fd < 0) {
		log_message(log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "cannot create: %s", strerror(errno));
		goto fail;
	}
	error = write_front(new, events);
	if (error)
		goto fail;
	*writer = new;
	return 0;
fail:
	recording_writer_free(new);
	return error;
}

void recording_writer_free(struct recording_writer *writer)
{
	if (!writer)
		return;
	if (writer->fd >= 0)
		close(writer->fd);
	array_free(&writer->index);
	array_free(&writer->offsets);
	free(writer->path);
	free(writer);
}

/* perf's auxtrace_index: the count, then where each AUXTRACE record is. */
static struct feature index_feature(const struct recording_writer *writer)
{
	struct feature feature = { .bit = PERF_DATA_FEATURE_AUXTRACE };

	byte_buffer_u64(&feature.content, writer->index.count);
	byte_buffer_add(&feature.content, writer->index.items,
			writer->index.count * sizeof(struct section));
	return feature;
}

/* Adds the place of @feature to @table, and its content to @contents. */
static void place(struct recording_writer *writer,
		  const struct feature *feature, uint64_t base,
		  struct byte_buffer *table, struct byte_buffer *contents)
{
	struct section section = { base + contents->size,
				   feature->content.size };

	byte_buffer_add(table, &section, sizeof(section));
	byte_buffer_add(contents, feature->content.bytes,
			feature->content.size);
	byte_buffer_align(contents, 8);
	contents->failed |= feature->content.failed;
	writer->header.features[feature->bit / 64] |= 1ULL << feature->bit % 64;
}

int recording_writer_finish(struct recording_writer *writer,
			    const struct feature *features, size_t count)
{
	struct byte_buffer table = { 0 };
	struct byte_buffer contents = { 0 };
	struct feature index = index_feature(writer);
	uint64_t base = writer->end + (count + 1) * sizeof(struct section);
	size_t i = 0;
	int error;

	count_data(writer);
	for (; i < count && features[i].bit < index.bit; i++)
		place(writer, &features[i], base, &table, &contents);
	place(writer, &index, base, &table, &contents);
	for (; i < count; i++)
		place(writer, &features[i], base, &table, &contents);
	error = recording_writer_add(writer, &table);
	if (!error)
		error = recording_writer_add(writer, &contents);
	if (!error)
		error = write_header(writer);
	byte_buffer_free(&index.content);
	byte_buffer_free(&table);
	byte_buffer_free(&contents);
	return error;
}

uint64_t recording_writer_trace_bytes(const struct recording_writer *writer)
{
	return writer->trace_bytes;
}

uint64_t recording_writer_bytes(const struct recording_writer *writer)
{
	return writer->end;
}
