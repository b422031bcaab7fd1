/* SPDX-License-Identifier: MIT */
#include "decoder/recording/tracepoint.h"

#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

const struct tracepoint_field *
tracepoint_field(const struct tracepoint *tracepoint, const char *name)
{
	for (size_t i = 0; i < tracepoint->field_count; i++)
		if (!strcmp(tracepoint->fields[i].name, name))
			return &tracepoint->fields[i];
	return NULL;
}

static bool is_inside(const struct tracepoint_field *field, size_t raw_size)
{
	return field && field->offset <= raw_size &&
	       field->size <= raw_size - field->offset;
}

int64_t tracepoint_number(const struct tracepoint_field *field,
			  const uint8_t *raw, size_t raw_size)
{
	uint64_t value = 0;

	if (!is_inside(field, raw_size) || !field->size || field->size > 8)
		return 0;
	for (uint32_t i = 0; i < field->size; i++)
		value |= (uint64_t)raw[field->offset + i] << (8 * i);

	unsigned int unused = 64 - 8 * field->size;

	if (field->is_signed)
		return (int64_t)(value << unused) >> unused;
	return (int64_t)value;
}

const char *tracepoint_text(const struct tracepoint_field *field,
			    const uint8_t *raw, size_t raw_size, char *text,
			    size_t size)
{
	text[0] = '\0';
	if (!is_inside(field, raw_size))
		return text;

	size_t offset = field->offset;
	size_t length = field->size;

	if (field->is_dynamic) {
		/* Low half: offset in the record, high half: size. */
		uint32_t place =
			(uint32_t)tracepoint_number(field, raw, raw_size);

		offset = place & 0xffff;
		length = place >> 16;
	}
	if (offset > raw_size || length > raw_size - offset)
		return text;
	if (length >= size)
		length = size - 1;
	memcpy(text, raw + offset, length);
	text[length] = '\0';
	return text;
}

/* Part of a text, without a NUL. */
struct slice {
	const char *text;
	size_t size;
};

static struct slice next_line(struct slice *rest)
{
	struct slice line = { .text = rest->text };

	line.size = text_skip_line(&rest->text, &rest->size);
	return line;
}

/* Returns the text between @key and @end in @line; empty if not found. */
static struct slice value_of(struct slice line, const char *key, char end)
{
	const char *found = memmem(line.text, line.size, key, strlen(key));

	if (!found)
		return (struct slice){ line.text, 0 };

	const char *start = found + strlen(key);
	size_t left = line.size - (size_t)(start - line.text);
	const char *stop = memchr(start, end, left);

	return (struct slice){ start, stop ? (size_t)(stop - start) : left };
}

static uint32_t number_of(struct slice digits)
{
	uint32_t number = 0;

	for (size_t i = 0; i < digits.size; i++) {
		if (digits.text[i] < '0' || digits.text[i] > '9')
			break;
		number = number * 10 + (uint32_t)(digits.text[i] - '0');
	}
	return number;
}

/* Returns the name in a declaration: "unsigned long args[6]" declares args. */
static struct slice declared_name(struct slice declaration)
{
	const char *bracket = memrchr(declaration.text, '[', declaration.size);

	if (bracket && bracket > declaration.text && bracket[-1] != ' ' &&
	    memchr(bracket, ']',
		   declaration.size - (size_t)(bracket - declaration.text)) ==
		    declaration.text + declaration.size - 1)
		declaration.size = (size_t)(bracket - declaration.text);

	const char *blank = memrchr(declaration.text, ' ', declaration.size);

	if (!blank)
		return declaration;
	return (struct slice){ blank + 1,
			       declaration.size -
				       (size_t)(blank + 1 - declaration.text) };
}

static int read_field(struct slice line, struct arena *arena,
		      struct array *fields)
{
	struct slice declaration = value_of(line, "field:", ';');

	if (!declaration.size)
		return 0;

	struct tracepoint_field *field = array_add(fields);
	struct slice name = declared_name(declaration);

	if (!field)
		return -ERROR_MEMORY;
	field->name = arena_text(arena, name.text, name.size);
	field->offset = number_of(value_of(line, "offset:", ';'));
	field->size = number_of(value_of(line, "size:", ';'));
	field->is_signed = number_of(value_of(line, "signed:", ';'));
	field->is_dynamic = declaration.size > 10 &&
			    !memcmp(declaration.text, "__data_loc", 10);
	return field->name ? 0 : -ERROR_MEMORY;
}

static int keep_fields(struct tracepoint *tracepoint, struct arena *arena,
		       const struct array *fields)
{
	size_t size = fields->count * fields->item_size;
	void *copy = arena_alloc(arena, size);

	if (!copy)
		return -ERROR_MEMORY;
	if (size)
		memcpy(copy, fields->items, size);
	tracepoint->fields = copy;
	tracepoint->field_count = fields->count;
	return 0;
}

int tracepoint_format_read(const char *text, size_t size, struct arena *arena,
			   struct tracepoint *tracepoint)
{
	struct array fields = ARRAY_OF(struct tracepoint_field);
	struct slice rest = { text, size };
	int error = 0;

	*tracepoint = (struct tracepoint){ .system = "" };
	while (rest.size && !error) {
		struct slice line = next_line(&rest);
		struct slice name = value_of(line, "name: ", '\n');

		if (name.size && name.text == line.text + 6)
			tracepoint->name =
				arena_text(arena, name.text, name.size);
		else if (line.size > 4 && !memcmp(line.text, "ID: ", 4))
			tracepoint->id = number_of(
				(struct slice){ line.text + 4, line.size - 4 });
		else if (line.size > 9 && !memcmp(line.text, "print fmt", 9))
			break;
		else
			error = read_field(line, arena, &fields);
	}
	if (!error)
		error = keep_fields(tracepoint, arena, &fields);
	array_free(&fields);
	return error ? error : tracepoint->name && tracepoint->id;
}

static const char magic[] = "\x17\x08\x44tracing";

/* Skips header_page or header_event: a name, a size, the text. */
static void skip_named_file(struct byte_reader *reader)
{
	byte_reader_text(reader);
	byte_reader_bytes(reader, byte_reader_u64(reader));
}

static void skip_header(struct byte_reader *reader)
{
	const uint8_t *start = byte_reader_bytes(reader, sizeof(magic) - 1);

	if (!start || memcmp(start, magic, sizeof(magic) - 1))
		reader->failed = true;
	byte_reader_text(reader); /* version */
	byte_reader_u8(reader);	  /* byte order */
	byte_reader_u8(reader);	  /* size of a long */
	byte_reader_u32(reader);  /* page size */
	skip_named_file(reader);
	skip_named_file(reader);

	uint32_t count = byte_reader_u32(reader);

	while (count-- && !reader->failed)
		byte_reader_bytes(reader, byte_reader_u64(reader));
}

static int read_format(struct byte_reader *reader, const char *system,
		       struct arena *arena, struct array *tracepoints)
{
	uint64_t size = byte_reader_u64(reader);
	const char *text = (const char *)byte_reader_bytes(reader, size);
	struct tracepoint tracepoint;

	if (!text)
		return 0;

	int status = tracepoint_format_read(text, size, arena, &tracepoint);

	if (status <= 0)
		return status;

	struct tracepoint *added = array_add(tracepoints);

	if (!added)
		return -ERROR_MEMORY;
	tracepoint.system = system;
	*added = tracepoint;
	return 0;
}

int tracing_formats_read(struct byte_reader *reader, const char *system,
			 struct arena *arena, struct array *tracepoints)
{
	uint32_t count = byte_reader_u32(reader);
	int error = 0;

	while (count-- && !reader->failed && !error)
		error = read_format(reader, system, arena, tracepoints);
	return error;
}

int tracing_systems_read(struct byte_reader *reader, struct arena *arena,
			 struct array *tracepoints)
{
	uint32_t systems = byte_reader_u32(reader);
	int error = 0;

	while (systems-- && !reader->failed && !error) {
		const char *name = byte_reader_text(reader);
		const char *system = arena_text(arena, name, strlen(name));

		if (!system)
			return -ERROR_MEMORY;
		error = tracing_formats_read(reader, system, arena,
					     tracepoints);
	}
	return error;
}

int tracing_data_read(const uint8_t *bytes, size_t size, struct arena *arena,
		      struct array *tracepoints)
{
	struct byte_reader reader = byte_reader_of(bytes, size);

	skip_header(&reader);
	return tracing_systems_read(&reader, arena, tracepoints);
}
