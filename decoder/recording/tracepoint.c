/* SPDX-License-Identifier: MIT */
#include "decoder/recording/tracepoint.h"

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
