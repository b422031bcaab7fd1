/* SPDX-License-Identifier: MIT */
#include "collector/writer/recording_writer.h"
#include "collector/bytes/append_file.h"
#include "collector/writer/file_front.h"
#include "collector/writer/trace_record.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/log.h"
#include "common/perf_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* Writes to the file that the records end at @end. The file is valid after each
 * step, except for the instant between the last two.
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

/* After a failed write, commits the complete part, if there is room for it. */
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

/* If this fails, the header keeps its attrs. */
int recording_writer_add_events(struct recording_writer *writer,
				const struct event_list *events)
{
	struct file_header header = writer->header;
	struct byte_buffer bytes = { 0 };
	int error = file_front_attrs_again(&header, events, writer->file.end,
					   &bytes);

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
	int error = file_front_make(header, &writer->table, events, features,
				    count, &bytes);

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
		error = file_front_enter(&writer->header, &writer->table,
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
