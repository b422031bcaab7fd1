/* SPDX-License-Identifier: MIT */
#include "decoder/recording/tracepoint_format.h"
#include "common/array.h"
#include "common/error.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

/* Part of a text, without a NUL. */
struct slice {
	const char *text;
	size_t size;
};

static struct slice next_line(struct slice *rest)
{
	const char *end = memchr(rest->text, '\n', rest->size);
	struct slice line = { rest->text, rest->size };
	size_t used = rest->size;

	if (end) {
		line.size = (size_t)(end - rest->text);
		used = line.size + 1;
	}
	rest->text += used;
	rest->size -= used;
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

/* "unsigned long args[6]" declares args. */
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
