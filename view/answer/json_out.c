/* SPDX-License-Identifier: MIT */
#include "view/answer/json_out_internal.h"

#include "report/text/name_text.h"

#include <string.h>

struct json_out json_out_to(FILE *file)
{
	struct json_out json = { 0 };

	line_buffer_start(&json.line, file);
	return json;
}

void json_out_end(struct json_out *json)
{
	line_buffer_flush(&json->line);
}

static void separate(struct json_out *json)
{
	if (json->has_item)
		line_buffer_put(&json->line, ",", 1);
	json->has_item = true;
}

void json_begin(struct json_out *json, const char *brackets)
{
	separate(json);
	line_buffer_put(&json->line, brackets, 1);
	json->has_item = false;
}

void json_end(struct json_out *json, const char *brackets)
{
	line_buffer_put(&json->line, brackets + 1, 1);
	json->has_item = true;
}

void json_key(struct json_out *json, const char *name)
{
	separate(json);
	line_buffer_put(&json->line, "\"", 1);
	line_buffer_text(&json->line, name);
	line_buffer_put(&json->line, "\":", 2);
	json->has_item = false;
}

void json_number(struct json_out *json, uint64_t value)
{
	separate(json);
	line_buffer_number(&json->line, value);
}

void json_signed(struct json_out *json, int64_t value)
{
	separate(json);
	line_buffer_signed(&json->line, value);
}

static void json_bool(struct json_out *json, bool value)
{
	separate(json);
	line_buffer_text(&json->line, value ? "true" : "false");
}

/* Escapes the characters with which HTML could end a script element, or start a
 * comment in one.
 */
static void put_harmless(struct json_out *json, const char *text, size_t size)
{
	const char *end = text + size;
	const char *special;

	while ((special = memchr(text, '<', (size_t)(end - text)))) {
		line_buffer_put(&json->line, text, (size_t)(special - text));
		line_buffer_text(&json->line, "\\u003c");
		text = special + 1;
	}
	line_buffer_put(&json->line, text, (size_t)(end - text));
}

void json_text(struct json_out *json, const char *text)
{
	enum { AT_ONCE = 256, CHARACTER_MOST = 4 };
	char made[AT_ONCE * NAME_GROWTH];
	size_t left = strlen(text);

	separate(json);
	line_buffer_put(&json->line, "\"", 1);
	while (left) {
		size_t size = left < AT_ONCE ? left : AT_ONCE;

		/* A piece ends before a character of UTF-8, not inside it. */
		while (size < left && size > AT_ONCE - CHARACTER_MOST &&
		       ((unsigned char)text[size] & 0xc0) == 0x80)
			size--;
		put_harmless(json, made,
			     name_text(made, NAME_JSON, text, size));
		text += size;
		left -= size;
	}
	line_buffer_put(&json->line, "\"", 1);
}

void json_member_number(struct json_out *json, const char *name, uint64_t value)
{
	json_key(json, name);
	json_number(json, value);
}

void json_member_signed(struct json_out *json, const char *name, int64_t value)
{
	json_key(json, name);
	json_signed(json, value);
}

void json_member_text(struct json_out *json, const char *name, const char *text)
{
	json_key(json, name);
	json_text(json, text);
}

void json_member_value(struct json_out *json, const char *name,
		       const char *value)
{
	json_key(json, name);
	separate(json);
	put_harmless(json, value, strlen(value));
}

void json_member_bool(struct json_out *json, const char *name, bool value)
{
	json_key(json, name);
	json_bool(json, value);
}
