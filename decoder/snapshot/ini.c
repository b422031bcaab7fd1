/* SPDX-License-Identifier: MIT */
#include "decoder/snapshot/ini_internal.h"

#include "common/bytes.h"

#include <string.h>

struct ini_reader ini_of(const void *text, size_t size)
{
	return (struct ini_reader){ .text = text, .left = size };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct ini_text trim(const char *start, size_t length)
{
	while (length && is_blank(*start)) {
		start++;
		length--;
	}
	while (length && is_blank(start[length - 1]))
		length--;
	return (struct ini_text){ start, length };
}

static struct ini_text consume_line(struct ini_reader *reader)
{
	const char *start = reader->text;
	size_t length = text_skip_line(&reader->text, &reader->left);

	return trim(start, length);
}

static bool is_section(struct ini_text text)
{
	return text.length >= 2 && text.start[0] == '[' &&
	       text.start[text.length - 1] == ']';
}

int ini_next(struct ini_reader *reader, struct ini_line *line)
{
	while (reader->left) {
		struct ini_text text = consume_line(reader);
		const char *mark;
		size_t length;

		if (!text.length || *text.start == '#' || *text.start == ';')
			continue;
		if (is_section(text)) {
			reader->section = trim(text.start + 1, text.length - 2);
			continue;
		}
		mark = memchr(text.start, '=', text.length);
		if (!mark)
			continue;
		length = (size_t)(mark - text.start);
		line->section = reader->section;
		line->key = trim(text.start, length);
		line->value = trim(mark + 1, text.length - length - 1);
		return 1;
	}
	return 0;
}

bool ini_begins(struct ini_text text, const char *word)
{
	size_t length = strlen(word);

	return text.length >= length &&
	       (!length || !memcmp(text.start, word, length));
}

bool ini_equals(struct ini_text text, const char *word)
{
	return text.length == strlen(word) && ini_begins(text, word);
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

bool ini_number(struct ini_text text, uint64_t *number)
{
	bool is_hex = ini_begins(text, "0x") || ini_begins(text, "0X");
	size_t at = is_hex ? 2 : 0;
	unsigned int base = is_hex ? 16 : 10;

	*number = 0;
	if (at == text.length)
		return false;
	for (; at < text.length; at++) {
		unsigned int digit = (unsigned int)digit_value(text.start[at]);

		if (digit >= base || *number > (UINT64_MAX - digit) / base)
			return false;
		*number = *number * base + digit;
	}
	return true;
}
