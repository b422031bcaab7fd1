/* SPDX-License-Identifier: MIT */
#include "collector/gate/gate_lines.h"

#include <string.h>

static const char *end_line(struct gate_lines *lines, bool *is_cut)
{
	size_t length = lines->length;

	*is_cut = length >= sizeof(lines->text);
	if (*is_cut)
		length = sizeof(lines->text) - 1;
	while (length && strchr(" \t\r", lines->text[length - 1]))
		length--;
	lines->text[length] = '\0';
	lines->length = 0;
	return lines->text;
}

const char *gate_lines_next(struct gate_lines *lines, const char *bytes,
			    size_t size, size_t *at, bool *is_cut)
{
	while (*at < size) {
		char byte = bytes[(*at)++];

		if (byte == '\n')
			return end_line(lines, is_cut);
		if (lines->length < sizeof(lines->text) - 1)
			lines->text[lines->length] = byte;
		lines->length++;
	}
	return NULL;
}
