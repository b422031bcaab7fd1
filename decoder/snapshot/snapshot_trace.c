/* SPDX-License-Identifier: MIT */
#include "decoder/snapshot/snapshot_trace.h"
#include "common/error.h"
#include "common/memory.h"
#include "decoder/snapshot/ini.h"

static int set_text(const char **place, struct ini_text text,
		    struct arena *arena)
{
	*place = arena_text(arena, text.start, text.length);
	return *place ? 0 : -ERROR_MEMORY;
}

static int add_link(struct array *links, const struct ini_line *line,
		    struct arena *arena)
{
	struct snapshot_link *link = array_add(links);

	if (!link || set_text(&link->from, line->key, arena) < 0)
		return -ERROR_MEMORY;
	return set_text(&link->to, line->value, arena);
}

/* Each buffer has its own section: "buffer0", "buffer1" … */
static struct snapshot_buffer *
find_buffer(struct array *buffers, struct ini_text section, struct arena *arena)
{
	struct snapshot_buffer *buffer;

	for (size_t i = 0; i < buffers->count; i++) {
		buffer = array_at(buffers, i);
		if (ini_equals(section, buffer->section))
			return buffer;
	}
	buffer = array_add(buffers);
	if (!buffer)
		return NULL;
	buffer->name = "";
	buffer->file = "";
	buffer->format = "coresight";
	return set_text(&buffer->section, section, arena) < 0 ? NULL : buffer;
}

static int read_buffer(struct array *buffers, const struct ini_line *line,
		       struct arena *arena)
{
	struct snapshot_buffer *buffer =
		find_buffer(buffers, line->section, arena);

	if (!buffer)
		return -ERROR_MEMORY;
	if (ini_equals(line->key, "name"))
		return set_text(&buffer->name, line->value, arena);
	if (ini_equals(line->key, "file"))
		return set_text(&buffer->file, line->value, arena);
	if (ini_equals(line->key, "format"))
		return set_text(&buffer->format, line->value, arena);
	return 0;
}

int snapshot_trace_read(const void *text, size_t size, struct arena *arena,
			struct snapshot_trace *trace)
{
	struct ini_reader reader = ini_of(text, size);
	struct ini_line line;
	int error = 0;

	*trace = (struct snapshot_trace){
		.buffers = ARRAY_OF(struct snapshot_buffer),
		.outputs = ARRAY_OF(struct snapshot_link),
		.cores = ARRAY_OF(struct snapshot_link),
	};
	while (!error && ini_next(&reader, &line)) {
		if (ini_equals(line.section, "source_buffers"))
			error = add_link(&trace->outputs, &line, arena);
		else if (ini_equals(line.section, "core_trace_sources"))
			error = add_link(&trace->cores, &line, arena);
		else if (ini_begins(line.section, "buffer"))
			error = read_buffer(&trace->buffers, &line, arena);
	}
	return error;
}

void snapshot_trace_free(struct snapshot_trace *trace)
{
	array_free(&trace->buffers);
	array_free(&trace->outputs);
	array_free(&trace->cores);
}
