/* SPDX-License-Identifier: MIT */
#include "collector/writer/recording_writer.h"

#include "collector/bytes/recording_files.h"
#include "collector/events/event_list.h"
#include "collector/writer/feature.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/formats/perf_data.h"
#include "common/log.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The order of bytes in the file `data`: header, ids and attrs, features,
 * records with trace between them, and at the end the table of features and the
 * index.
 *
 * The file is valid after each round, even if the recorder is killed:
 * try_commit() writes the table after the records, and then the header, which
 * has the positions of both. Attrs that are added later
 * (recording_writer_add_events()) cannot be at the front any more; they are the
 * bodies of records that readers skip; the header then refers to them. A failed
 * write commits the part before it.
 */

struct file_section {
	uint64_t offset;
	uint64_t size;
};

/* The file's first bytes, as stored on disk. */
struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct file_section attrs;
	struct file_section data;
	struct file_section event_types;
	uint64_t features[PERF_DATA_FEATURE_BITS / 64];
};

_Static_assert(sizeof(struct file_header) == PERF_DATA_HEADER_SIZE, "header");

/* Adds the ids first, then the attrs, which refer to them. */
static void add_attrs(struct file_header *header, const struct event_list *list,
		      struct byte_buffer *bytes)
{
	const struct event_spec *specs = list->specs.items;
	const struct event *events = list->events.items;
	struct file_section ids = { sizeof(struct file_header), 0 };
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
	header->attrs.offset = ids.offset;
	header->attrs.size = attrs.size;
	byte_buffer_add(bytes, attrs.bytes, attrs.size);
	bytes->failed |= attrs.failed;
	byte_buffer_free(&attrs);
}

/* Starts a record that readers skip. Returns its offset in @bytes. */
static size_t begin_carrier(struct byte_buffer *bytes)
{
	const struct perf_event_header header = {
		.type = PERF_DATA_FINISHED_INIT,
	};
	size_t position = bytes->size;

	byte_buffer_add(bytes, &header, sizeof(header));
	return position;
}

static int end_carrier(struct byte_buffer *bytes, size_t position)
{
	struct perf_event_header header = { .type = PERF_DATA_FINISHED_INIT };
	size_t size = bytes->size - position;

	if (bytes->failed)
		return -ERROR_MEMORY;
	if (size > UINT16_MAX)
		return -ERROR_UNSUPPORTED;
	header.size = (uint16_t)size;
	memcpy(bytes->bytes + position, &header, sizeof(header));
	return 0;
}

/* Appends the ids of spec number @spec; sets *@ids to their position. */
static int carry_ids(const struct event_list *list, size_t spec, uint64_t at,
		     struct byte_buffer *bytes, struct file_section *ids)
{
	const struct event *events = list->events.items;
	size_t position = begin_carrier(bytes);

	ids->offset = at + bytes->size;
	for (size_t i = 0; i < list->events.count; i++)
		if (events[i].spec == spec)
			byte_buffer_u64(bytes, events[i].id);
	ids->size = at + bytes->size - ids->offset;
	return end_carrier(bytes, position);
}

/* Appends to @bytes, which will be at offset @at of the file, the ids and attrs
 * of @list as the bodies of records without meaning, and makes @header refer to
 * them.
 *
 * Returns 0; -ERROR_MEMORY; or -ERROR_UNSUPPORTED if a record would be larger
 * than its 16-bit size allows. @bytes may have failed, too.
 */
static int front_attrs_again(struct file_header *header,
			     const struct event_list *list, uint64_t at,
			     struct byte_buffer *bytes)
{
	const struct event_spec *specs = list->specs.items;
	struct byte_buffer attrs = { 0 };
	struct file_section ids;
	size_t position;
	int error = 0;

	for (size_t i = 0; i < list->specs.count && !error; i++) {
		error = carry_ids(list, i, at, bytes, &ids);
		byte_buffer_add(&attrs, &specs[i].attr, specs[i].attr.size);
		byte_buffer_add(&attrs, &ids, sizeof(ids));
	}
	position = begin_carrier(bytes);
	header->attrs.offset = at + bytes->size;
	header->attrs.size = attrs.size;
	byte_buffer_add(bytes, attrs.bytes, attrs.size);
	bytes->failed |= attrs.failed;
	byte_buffer_free(&attrs);
	return error ? error : end_carrier(bytes, position);
}

/* Enters feature @bit, which has @size bytes at @offset of the file. Must be
 * called with ascending bits. Returns 0 or -ERROR_MEMORY.
 */
static int front_enter(struct file_header *header, struct array *table,
		       enum perf_data_feature bit, uint64_t offset,
		       uint64_t size)
{
	if (array_append(table, &(struct file_section){ offset, size }) < 0)
		return -ERROR_MEMORY;
	header->features[bit / 64] |= 1ULL << bit % 64;
	return 0;
}

static int add_features(struct file_header *header, struct array *table,
			const struct feature *features, size_t count,
			struct byte_buffer *bytes)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		const struct byte_buffer *content = &features[i].content;

		assert(features[i].bit < PERF_DATA_FEATURE_AUXTRACE);
		byte_buffer_align(bytes, 8);
		error = front_enter(header, table, features[i].bit,
				    sizeof(*header) + bytes->size,
				    content->size);
		byte_buffer_add(bytes, content->bytes, content->size);
		bytes->failed |= content->failed;
	}
	byte_buffer_align(bytes, 8);
	return error;
}

/* Fills @header and appends the data between it and the records to @bytes: the
 * ids and attrs of @events, and the @count sections @features. Their positions
 * are added to @table, an array of struct file_section.
 *
 * Returns 0 or -ERROR_MEMORY; @bytes may have failed, too.
 */
static int front_make(struct file_header *header, struct array *table,
		      const struct event_list *events,
		      const struct feature *features, size_t count,
		      struct byte_buffer *bytes)
{
	int error;

	memcpy(header->magic, PERF_DATA_MAGIC, sizeof(header->magic));
	header->size = sizeof(*header);
	header->attr_size = PERF_ATTR_SIZE_VER7 + sizeof(struct file_section);
	add_attrs(header, events, bytes);
	error = add_features(header, table, features, count, bytes);
	header->data.offset = sizeof(*header) + bytes->size;
	return error;
}

struct recording_writer {
	struct append_file file;
	struct file_header header;
	struct array table; /* struct file_section: the features */
	uint64_t table_at;  /* its offset in the file */
	uint64_t trace_bytes;
	struct array index;   /* struct file_section: the AUXTRACE records */
	struct array offsets; /* uint64_t, per ring: bytes of trace so far */
};

static size_t table_size(const struct recording_writer *writer)
{
	return writer->table.count * sizeof(struct file_section);
}

/* Makes the records up to @end part of the file: writes the table after them,
 * then the header. The file is valid at any time, except between the last two
 * writes.
 */
static int try_commit(struct recording_writer *writer, uint64_t end)
{
	const struct append_file *file = &writer->file;
	struct perf_event_header round = {
		.type = PERF_DATA_FINISHED_ROUND,
		.size = (uint16_t)table_size(writer),
	};
	int error = append_file_put(file, writer->table.items,
				    table_size(writer), end);

	if (!error && end > writer->table_at)
		error = append_file_put(file, &round, sizeof(round),
					writer->table_at);
	writer->header.data.size = end - writer->header.data.offset;
	if (!error)
		error = append_file_put(file, &writer->header,
					sizeof(writer->header), 0);
	writer->table_at = end;
	return error;
}

static int commit(struct recording_writer *writer, uint64_t end)
{
	int error = try_commit(writer, end);

	if (error)
		log_message(writer->file.log, LOG_ERROR, writer->file.path, end,
			    "cannot write: %s", strerror(errno));
	return error;
}

/* Handles a failed write: commits the complete part, if there is room for it.
 * Returns @error.
 */
static int keep(struct recording_writer *writer, int error)
{
	uint64_t begin = writer->table_at + table_size(writer);

	if (error == -ERROR_SYSTEM && writer->file.end > begin)
		try_commit(writer, writer->file.end);
	return error;
}

static int append(struct recording_writer *writer, struct iovec *parts,
		  int count)
{
	int error = writer->file.error;

	if (error)
		return error;
	error = append_file_add(&writer->file, parts, count);
	return error ? keep(writer, error) : 0;
}

int recording_writer_add(struct recording_writer *writer,
			 const struct byte_buffer *records)
{
	struct iovec part = { records->bytes, records->size };

	if (records->failed)
		return -ERROR_MEMORY;
	return append(writer, &part, 1);
}

/* On failure the header still refers to the former attrs. */
int recording_writer_add_events(struct recording_writer *writer,
				const struct event_list *events)
{
	struct file_header header = writer->header;
	struct byte_buffer bytes = { 0 };
	int error =
		front_attrs_again(&header, events, writer->file.end, &bytes);

	if (!error)
		error = recording_writer_add(writer, &bytes);
	if (!error)
		writer->header.attrs = header.attrs;
	byte_buffer_free(&bytes);
	return error;
}

int recording_writer_add_ring(struct recording_writer *writer,
			      const struct ring_bytes *records)
{
	struct iovec parts[2] = { records->part[0], records->part[1] };

	return append(writer, parts, 2);
}

static uint64_t *offset_of(struct recording_writer *writer, uint32_t index)
{
	return array_reach(&writer->offsets, index);
}

int recording_writer_begin_trace(struct recording_writer *writer,
				 uint32_t index, uint64_t offset)
{
	uint64_t *begin = offset_of(writer, index);

	if (!begin)
		return -ERROR_MEMORY;
	*begin = offset;
	return 0;
}

int recording_writer_add_trace(struct recording_writer *writer, uint32_t index,
			       int cpu, pid_t thread,
			       const struct ring_bytes *trace)
{
	static const uint8_t zeros[8];
	uint64_t *offset = offset_of(writer, index);
	struct file_section *entry = array_add(&writer->index);
	struct trace_record record =
		trace_record_of(index, cpu, thread, trace->size);
	struct iovec parts[4] = {
		{ &record, sizeof(record) },
		trace->part[0],
		trace->part[1],
		{ (void *)(uintptr_t)zeros, record.size - trace->size },
	};
	int error;

	if (!offset || !entry)
		return -ERROR_MEMORY;
	if (*offset < trace->start)
		*offset = trace->start;
	record.offset = *offset;
	record.reference = trace_reference(writer->index.count);
	*entry = (struct file_section){ writer->file.end, sizeof(record) };
	error = append(writer, parts, 4);
	if (error) {
		writer->index.count--;
		return error;
	}
	*offset += trace->size;
	writer->trace_bytes += trace->size;
	return 0;
}

int recording_writer_end_round(struct recording_writer *writer)
{
	uint64_t end = writer->file.end;

	if (writer->file.error)
		return writer->file.error;
	if (end == writer->table_at + table_size(writer))
		return 0;
	writer->file.error = commit(writer, end);
	writer->file.end = end + table_size(writer);
	return writer->file.error;
}

/* Writes everything before the records. */
static int write_front(struct recording_writer *writer,
		       const struct event_list *events,
		       const struct feature *features, size_t count)
{
	struct file_header *header = &writer->header;
	struct byte_buffer bytes = { 0 };
	int error = front_make(header, &writer->table, events, features, count,
			       &bytes);

	writer->file.end = sizeof(*header);
	writer->table_at = header->data.offset;
	if (!error)
		error = recording_writer_add(writer, &bytes);
	byte_buffer_free(&bytes);
	if (!error)
		error = commit(writer, header->data.offset);
	writer->file.end = header->data.offset + table_size(writer);
	return error;
}

int recording_writer_create(const struct output_folder *folder,
			    const struct event_list *events,
			    const struct feature *features, size_t count,
			    const struct log *log,
			    struct recording_writer **writer)
{
	struct recording_writer *new = calloc(1, sizeof(*new));
	int error;

	if (!new)
		return -ERROR_MEMORY;
	new->table = ARRAY_OF(struct file_section);
	new->index = ARRAY_OF(struct file_section);
	new->offsets = ARRAY_OF(uint64_t);
	error = append_file_create(&new->file, folder, "data", log);
	if (!error)
		error = write_front(new, events, features, count);
	if (error) {
		recording_writer_free(new);
		return error;
	}
	*writer = new;
	return 0;
}

void recording_writer_free(struct recording_writer *writer)
{
	if (!writer)
		return;
	append_file_close(&writer->file);
	array_free(&writer->table);
	array_free(&writer->index);
	array_free(&writer->offsets);
	free(writer);
}

/* perf's auxtrace_index, the number and the positions of the AUXTRACE records,
 * is written after the table, which gets another entry for it.
 */
int recording_writer_finish(struct recording_writer *writer)
{
	struct byte_buffer index = { 0 };
	int error = recording_writer_end_round(writer);
	uint64_t end = writer->table_at;

	byte_buffer_u64(&index, writer->index.count);
	byte_buffer_add(&index, writer->index.items,
			writer->index.count * sizeof(struct file_section));
	if (!error)
		error = front_enter(&writer->header, &writer->table,
				    PERF_DATA_FEATURE_AUXTRACE,
				    end + table_size(writer) +
					    sizeof(struct file_section),
				    index.size);
	writer->file.end = end + table_size(writer);
	if (!error)
		error = recording_writer_add(writer, &index);
	if (!error)
		error = commit(writer, end);
	byte_buffer_free(&index);
	return error;
}

uint64_t recording_writer_trace_bytes(const struct recording_writer *writer)
{
	return writer->trace_bytes;
}

uint64_t recording_writer_bytes(const struct recording_writer *writer)
{
	return writer->file.end;
}
